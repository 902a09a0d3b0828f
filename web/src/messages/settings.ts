/** What the page of the settings says. */
export const settingsMessages = {
  title: 'Settings',
  lead: 'How the service was started. Settings are environment variables: change them there, and start again.',
  browser: 'In this browser',
  shortcuts: 'Shortcuts of a single letter',
  shortcutsHint: 'Without them a letter in the library goes to a name that begins with it. Other shortcuts stay.',
  search: 'Find a setting',
  setOnly: 'Only what is set',
  nothing: 'No such setting',
  name: 'Variable',
  value: 'Value',
  standard: 'Default',
  secret: 'Set, and kept secret',
  storage: { disk: 'Originals on this disk', s3: 'Originals in a bucket' },
  deliveryMode: {
    open: 'Everybody may ask for any size',
    signed: 'Signed URLs only',
    presets: 'Presets and signed URLs only',
  },
  ffmpeg: 'Videos are transcoded',
  noFfmpeg: 'No videos: ffmpeg is missing',
};
