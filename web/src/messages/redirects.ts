/** Texts of the page of redirects, which loads them. */
export const redirectsMessages = {
  title: 'Redirects',
  lead: 'Old URLs of renamed and moved files and folders that keep working',
  nothing: 'No redirects',
  nothingText: 'Select “Keep the old URL working” when you rename or move a file or folder, or add a redirect here.',
  add: 'Add redirect',
  from: 'Old path',
  fromHint: 'The path without a file, such as photos/old-logo.jpg. Its URLs and those below it are covered.',
  to: 'Present path',
  toHint: 'An existing file or folder, such as photos/logo.jpg.',
  added: (from: string) => `URLs of ${from} work.`,
  leadsTo: 'leads to',
  created: (ago: string) => `Created ${ago}`,
  remove: (from: string) => `Delete the redirect of ${from}`,
  removed: (from: string) => `Deleted the redirect of ${from}.`,
  more: 'Show more',
};
