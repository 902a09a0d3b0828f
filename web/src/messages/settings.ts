/** What the page of the settings says. */
export const settingsMessages = {
  title: 'Settings',
  lead: 'Settings are environment variables. Change them there and restart the service.',
  browser: 'This browser',
  shortcuts: 'Single-letter shortcuts',
  shortcutsHint: 'When off, letters in the library jump to matching names. Other shortcuts still work.',
  search: 'Search settings',
  setOnly: 'Set values only',
  nothing: 'No matching settings',
  name: 'Variable',
  value: 'Value',
  standard: 'Default',
  secret: 'Set (hidden)',
  storage: { disk: 'Originals on local disk', s3: 'Originals in a bucket' },
  deliveryMode: {
    open: 'Any transformation allowed',
    signed: 'Signed URLs only',
    presets: 'Presets and signed URLs only',
  },
  ffmpeg: 'Video transcoding available',
  noFfmpeg: 'Video transcoding unavailable: ffmpeg is missing',
};
