import type { IconName } from '../components/icons.ts';
import { messages } from '../messages/en.ts';

/** A page of the navigation, the account menu and the command palette. */
export interface Page {
  to: string;
  icon: IconName;
  label: string;
  /**
   * `navigation`: always in the navigation. `wide navigation`: in the account menu on phones, where space is limited.
   * `account menu`: always there.
   */
  shownIn: 'navigation' | 'wide navigation' | 'account menu';
}

const { pages } = messages.shell;

/** Most used first. */
export const PAGES: readonly Page[] = [
  { to: '/files', icon: 'image', label: pages.files, shownIn: 'navigation' },
  { to: '/playground', icon: 'settings', label: pages.playground, shownIn: 'navigation' },
  { to: '/jobs', icon: 'jobs', label: pages.jobs, shownIn: 'navigation' },
  { to: '/keys', icon: 'key', label: pages.keys, shownIn: 'navigation' },
  { to: '/webhooks', icon: 'link', label: pages.webhooks, shownIn: 'wide navigation' },
  { to: '/duplicates', icon: 'duplicate', label: pages.duplicates, shownIn: 'wide navigation' },
  { to: '/trash', icon: 'trash', label: pages.trash, shownIn: 'navigation' },
  { to: '/status', icon: 'status', label: pages.status, shownIn: 'navigation' },
  { to: '/account', icon: 'account', label: pages.account, shownIn: 'account menu' },
  { to: '/settings', icon: 'settings', label: pages.settings, shownIn: 'account menu' },
];
