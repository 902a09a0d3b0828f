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

/** A waiting time: in minutes if it is long. */
const wait = (seconds: number) =>
  seconds < 120 ? plural(seconds, 'second', 'seconds') : plural(Math.ceil(seconds / 60), 'minute', 'minutes');

/** All messages of the dashboard except those loaded later. */
export const messages = {
  name: 'Darkroom',
  cancel: 'Cancel',
  close: 'Close',
  dismiss: 'Dismiss',
  copied: 'Copied.',
  stored: 'I have saved it',
  notCopied: 'The browser blocked copying. Select the text and copy it manually.',
  plural: {
    files: (count: number) => plural(count, 'file', 'files'),
    items: (count: number) => plural(count, 'item', 'items'),
    folders: (count: number) => plural(count, 'folder', 'folders'),
    variants: (count: number) => plural(count, 'variant', 'variants'),
  },
  field: {
    showPassword: 'Show password',
    hidePassword: 'Hide password',
    code: 'Code',
    codeHint: '6 digits',
  },
  states: {
    loading: 'Loading',
    retry: 'Try again',
    requestId: 'Request ID',
    unreachable: 'The service is unreachable. Check that it is running and that you are online.',
    foreignOrigin:
      'The service does not accept requests from this address. Set PUBLIC_URL to it, or add the proxy to TRUSTED_PROXIES.',
    tooMany: (seconds: number) => `Too many requests. Try again in ${wait(seconds)}.`,
    offline: 'You are offline. Data may be outdated and refreshes when the connection returns.',
    failed: 'Failed to load this page',
    newVersion: 'Darkroom has been updated. Reload to use the new version.',
    reload: 'Reload',
  },
  notFound: {
    title: 'Page not found',
    text: 'Check the address, or go to the library.',
    action: 'Go to library',
  },
  shell: {
    navigation: 'Main',
    skip: 'Skip to content',
    find: 'Go to …',
    collapse: 'Collapse sidebar',
    expand: 'Expand sidebar',
    account: 'Account',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    reference: 'API reference',
    space: 'Space',
    library: 'Library',
    administration: 'Administration',
    notHere: 'This page is not available',
    notHereText: 'Your role does not include it, or it belongs to the library or a space only.',
    noAccess: 'No access',
    noAccessText: 'Your account has no role here, or its space is disabled. Ask an administrator.',
    otherSpaces: 'You can open these spaces:',
    signOut: 'Sign out',
    pages: {
      files: 'Files',
      playground: 'Playground',
      jobs: 'Jobs',
      keys: 'API keys',
      webhooks: 'Webhooks',
      spaces: 'Spaces',
      space: 'Space settings',
      duplicates: 'Duplicates',
      trash: 'Trash',
      status: 'Status',
      settings: 'Settings',
      account: 'Account',
      people: 'People',
      usage: 'Usage',
      audit: 'Audit log',
    },
  },
  signIn: {
    title: 'Sign in',
    lead: 'Welcome back.',
    email: 'Email',
    password: 'Password',
    action: 'Sign in',
    wait: (seconds: number) => `Wait ${wait(seconds)}`,
    tooOften: 'Too many attempts. Try again when the button is enabled.',
    again: 'Sign in again',
    againText: 'Your session has expired. Sign in to continue; nothing on this page is lost.',
    leave: 'Leave this page',
    forgotten: 'Forgot your password? The administrator of the server resets it with',
  },
  setup: {
    title: 'Set up Darkroom',
    lead: 'Create the administrator account of this service.',
    account: 'Name',
    token: 'Setup token',
    tokenHint: 'Printed in the log when the service starts.',
    passwordHint: 'At least 8 characters.',
    action: 'Create account',
    wrongToken: 'Invalid setup token. Use the link printed at the latest start of the service.',
    closed: 'This service already has an owner.',
    needed: 'No owner yet',
    neededText: 'Open the setup link that the service printed when it started.',
    byToken: 'Enter setup token',
  },
  status: {
    title: 'Status',
    lead: 'Service health and storage usage',
    healthy: 'Healthy',
    unhealthy: 'Unhealthy',
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
    noFiles: 'No files yet.',
    countedAgo: (ago: string) => `Counted ${ago}`,
    recount: 'Recalculate',
    recounted: 'Usage recalculated.',
    clear: 'Clear cache',
    clearTitle: 'Clear the cache?',
    clearText: (variants: string, size: string) =>
      `Removes ${variants} (${size}). Variants are rendered again on request, which takes time and CPU.`,
    cleared: 'Cache cleared.',
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
