/** Names of the roles, and what each may do. */
export const roleMessages = {
  name: { viewer: 'Viewer', contributor: 'Contributor', editor: 'Editor', admin: 'Admin', owner: 'Owner' },
  text: {
    viewer: 'Views and downloads files.',
    contributor: 'Also uploads files.',
    editor: 'Also changes, moves and deletes files.',
    admin: 'Also manages people, keys, webhooks and settings.',
    owner: 'An admin who also makes and removes owners.',
  },
  /** For the person who gets the role. */
  youCan: {
    viewer: 'You can view and download files.',
    contributor: 'You can view, download and upload files.',
    editor: 'You can view, upload, change, move and delete files.',
    admin: 'You can manage files, people, keys, webhooks and settings.',
    owner: 'You can manage everything, and make others owners.',
  },
};
