/** Groups of operations with their descriptions. */
export const TAGS = {
  Delivery: 'Originals and variants, for browsers.',
  Download: 'Originals and archives of them, as attachments.',
  Upload: 'Uploads of files.',
  Storage: 'The library: folders and files, and the cache of their variants.',
  Assets: 'Metadata of files: search, change, tags.',
  Queue: 'Transcodes of videos.',
  Video: 'Progress of videos.',
  Webhooks: 'Events of files and jobs for other services.',
  Spaces: 'Folders with keys, members and rules of their own.',
  'API keys': 'Creation and revocation of keys.',
  People: 'Members, their roles, and invitations.',
  Account: 'The own account and its sessions.',
  Audit: 'Who did what, and how much was used.',
  Health: 'Status of the service.',
} as const;
