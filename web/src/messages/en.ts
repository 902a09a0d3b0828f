import { accountMessages } from './account.ts';
import { detailsMessages, filesMessages } from './files.ts';
import { historyMessages } from './history.ts';
import { jobsMessages } from './jobs.ts';
import { keysMessages } from './keys.ts';
import { layerMessages } from './layers.ts';
import { playgroundMessages } from './playground.ts';
import { plural } from './plural.ts';
import { settingsMessages } from './settings.ts';
import { trashMessages } from './trash.ts';
import { uploadsMessages } from './uploads.ts';
import { webhooksMessages } from './webhooks.ts';

/** Everything that the dashboard says, in one place. */
export const messages = {
  name: 'Darkroom',
  cancel: 'Cancel',
  close: 'Close',
  dismiss: 'Dismiss',
  copied: 'Copied.',
  stored: 'I have stored it',
  notCopied: 'The browser does not let this page copy. Select the text instead.',
  plural: {
    files: (count: number) => plural(count, 'file', 'files'),
    items: (count: number) => plural(count, 'item', 'items'),
    folders: (count: number) => plural(count, 'folder', 'folders'),
    variants: (count: number) => plural(count, 'variant', 'variants'),
  },
  field: {
    showPassword: 'Show password',
    hidePassword: 'Hide password',
  },
  states: {
    loading: 'Loading',
    retry: 'Try again',
    requestId: 'Request',
    unreachable: 'The service cannot be reached. Check that it runs, and that you are online.',
    foreignOrigin:
      'The service does not know the address of this page. Set PUBLIC_URL to it, or TRUSTED_PROXIES to the proxy in front.',
    tooMany: (seconds: number) => `Too many requests. Try again in ${plural(seconds, 'second', 'seconds')}.`,
    offline: 'You are offline. What is shown may be old; it is read again when the connection is back.',
    failed: 'This page could not be shown',
    newVersion: 'Darkroom has been updated. Reload to go on with the new version.',
    reload: 'Reload',
  },
  notFound: {
    title: 'There is no such page',
    text: 'The address may be old, or mistyped.',
    action: 'Go to the start',
  },
  shell: {
    navigation: 'Main',
    skip: 'Skip to content',
    find: 'Go to …',
    account: 'Account',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    reference: 'API reference',
    signOut: 'Sign out',
    pages: {
      files: 'Files',
      playground: 'Playground',
      jobs: 'Jobs',
      keys: 'API keys',
      webhooks: 'Webhooks',
      duplicates: 'Duplicates',
      trash: 'Trash',
      status: 'Status',
      settings: 'Settings',
      account: 'Account',
    },
  },
  signIn: {
    title: 'Sign in',
    lead: 'Welcome back.',
    email: 'Email',
    password: 'Password',
    action: 'Sign in',
    wait: (seconds: number) => `Wait ${plural(seconds, 'second', 'seconds')}`,
    tooOften: 'Too many tries. The button comes back when you can try again.',
    again: 'Sign in again',
    againText: 'Your session has ended. Nothing on this page is lost: it goes on where you were.',
    leave: 'Leave this page',
    forgotten: 'Forgotten it? Whoever runs the server sets a new one with',
  },
  setup: {
    title: 'Set up Darkroom',
    lead: 'This makes the one account that the service belongs to.',
    account: 'Your name',
    token: 'Setup token',
    tokenHint: 'The latest start of the service has printed it.',
    passwordHint: 'At least 8 characters.',
    action: 'Create account',
    wrongToken: 'This token is not the one of the latest start: look there for the new link.',
    closed: 'There is an account already.',
    needed: 'This service has no account yet.',
    neededText:
      'The start of the service has printed a link that begins with the address of this page. Open that link.',
    byToken: 'I have a setup token',
  },
  status: {
    title: 'Status',
    lead: 'How the service is, and what it keeps.',
    healthy: 'All is well',
    unhealthy: 'Something needs attention',
    checks: 'Checks',
    checkedAgo: (ago: string) => `Checked ${ago}`,
    checkNames: {
      render: 'Rendering',
      storage: 'Storage',
      database: 'Database',
    } as Record<string, string>,
    good: 'OK',
    version: 'Version',
    originals: 'Originals',
    cache: 'Cache',
    byKind: 'By kind',
    byFolder: 'By folder',
    noFiles: 'Nothing is stored yet.',
    countedAgo: (ago: string) => `Counted ${ago}`,
    recount: 'Count again',
    recounted: 'Counted everything again.',
    clear: 'Clear cache',
    clearTitle: 'Clear the cache?',
    clearText: (variants: string, size: string) =>
      `${variants} (${size}) are removed. Nothing is lost: each is made again when somebody asks for it, which takes time and processor.`,
    cleared: 'The cache is empty.',
    more: (count: number) => `and ${plural(count, 'more folder', 'more folders')}`,
    kinds: { image: 'Images', video: 'Videos', audio: 'Audio', model: '3D models', document: 'Documents' } as Record<
      string,
      string
    >,
    table: { name: 'Name', size: 'Size', files: 'Files' },
  },
  files: filesMessages,
  details: detailsMessages,
  uploads: uploadsMessages,
  layers: layerMessages,
  playground: playgroundMessages,
  jobs: jobsMessages,
  keys: keysMessages,
  webhooks: webhooksMessages,
  settings: settingsMessages,
  trash: trashMessages,
  account: accountMessages,
  history: historyMessages,
};
