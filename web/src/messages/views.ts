export const viewMessages = {
  title: 'Views',
  view: {
    recent: 'Recently added',
    untagged: 'Untagged',
    withoutAlt: 'Missing alt text',
    undecodable: 'Cannot be decoded',
    large: 'Large files',
  },
};
