/** Texts of the empty library and the first steps. */
export const startMessages = {
  title: 'First steps',
  lead: 'From an empty library to images on your pages.',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  done: 'Done',
  open: 'To do',
  allDone: 'All steps are done.',
  dismiss: 'Dismiss',
  dismissed: 'You find the first steps in the account menu.',
  steps: {
    upload: ['Upload a picture', 'Drop files on the library, or use “Upload”.'],
    copy: ['Copy code', 'Choose a size in the playground and copy the URL or the HTML.'],
    key: ['Create an API key', 'Programs upload and manage files with it.'],
    url: ['Set PUBLIC_URL', 'The address of the service, for links in responses and behind a proxy.'],
    limit: ['Set the rate limit', 'PUBLIC_RATE_LIMIT_MAX limits the requests of each visitor.'],
  },
  drop: 'Drop images, videos or folders here',
  choose: 'Choose files',
  samples: 'Add sample pictures',
  samplesText: (size: string) => `Five files, ${size}, in the folder “samples”.`,
  samplesFailed: 'The sample pictures could not be loaded.',
  program: 'Or upload from a program:',
} as const;
