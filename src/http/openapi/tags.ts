/** The groups of operations, and what the document says of each. */
export const TAGS = {
  Delivery: 'Originals and variants, for browsers.',
  Download: 'Originals and archives of them, as attachments.',
  Upload: 'Storing files.',
  Storage: 'The library: folders and files, and the cache of their variants.',
  Assets: 'What is known of files: searching, describing, tagging.',
  Queue: 'Videos that are being transcoded.',
  Video: 'How far a video is, for whoever waits for it.',
  Webhooks: 'Telling other services what happens to files and jobs.',
  'API keys': 'Making and revoking keys.',
  Account: "The admin's account and session.",
  Health: 'How the service is.',
} as const;
