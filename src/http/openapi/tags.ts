/** Groups of operations with their descriptions. */
export const TAGS = {
  Delivery: 'Originals and variants, for browsers.',
  Download: 'Originals and archives of them, as attachments.',
  Upload: 'Storing files.',
  Storage: 'The library: folders and files, and the cache of their variants.',
  Assets: 'Metadata of files: search, change, tags.',
  Queue: 'Videos that are being transcoded.',
  Video: 'Progress of videos.',
  Webhooks: 'Events of files and jobs for other services.',
  'API keys': 'Making and revoking keys.',
  Account: "The admin's account and session.",
  Health: 'How the service is.',
} as const;
