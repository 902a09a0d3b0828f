import { type Access, type Permission, useAccess } from '../api/access.ts';
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
  /** Shown to people with this permission. */
  needs: Permission;
  /** Undefined for a page of the library and of spaces. */
  onlyIn?: 'library' | 'space';
}

const { pages } = messages.shell;

/** Most used first. */
const PAGES: readonly Page[] = [
  { to: '/files', icon: 'image', label: pages.files, shownIn: 'navigation', needs: 'read' },
  { to: '/playground', icon: 'settings', label: pages.playground, shownIn: 'navigation', needs: 'read' },
  { to: '/jobs', icon: 'jobs', label: pages.jobs, shownIn: 'navigation', needs: 'read' },
  { to: '/tags', icon: 'tag', label: pages.tags, shownIn: 'wide navigation', needs: 'read' },
  { to: '/duplicates', icon: 'duplicate', label: pages.duplicates, shownIn: 'wide navigation', needs: 'read' },
  { to: '/redirects', icon: 'redirect', label: pages.redirects, shownIn: 'wide navigation', needs: 'read' },
  { to: '/trash', icon: 'trash', label: pages.trash, shownIn: 'navigation', needs: 'read' },
  { to: '/status', icon: 'status', label: pages.status, shownIn: 'navigation', needs: 'read' },
  { to: '/keys', icon: 'key', label: pages.keys, shownIn: 'navigation', needs: 'admin' },
  { to: '/webhooks', icon: 'link', label: pages.webhooks, shownIn: 'wide navigation', needs: 'admin' },
  { to: '/people', icon: 'people', label: pages.people, shownIn: 'wide navigation', needs: 'admin' },
  { to: '/usage', icon: 'usage', label: pages.usage, shownIn: 'wide navigation', needs: 'admin' },
  { to: '/audit', icon: 'list', label: pages.audit, shownIn: 'wide navigation', needs: 'admin' },
  { to: '/spaces', icon: 'space', label: pages.spaces, shownIn: 'wide navigation', needs: 'admin', onlyIn: 'library' },
  { to: '/space', icon: 'space', label: pages.space, shownIn: 'wide navigation', needs: 'admin', onlyIn: 'space' },
  { to: '/start', icon: 'check', label: pages.start, shownIn: 'account menu', needs: 'admin' },
  { to: '/account', icon: 'account', label: pages.account, shownIn: 'account menu', needs: 'read' },
  { to: '/settings', icon: 'settings', label: pages.settings, shownIn: 'account menu', needs: 'read' },
];

/** Pages that the signed-in person may use, here. */
export function usePages(): readonly Page[] {
  const access = useAccess();
  return PAGES.filter((page) => isShown(page, access));
}

function isShown({ needs, onlyIn }: Page, access: Access | undefined): boolean {
  if (onlyIn !== undefined && (onlyIn === 'library') !== ((access?.space ?? null) === null)) return false;
  return access?.permissions.includes(needs) ?? false;
}

/** False on a page that the signed-in person may not use, here. @param route full path of the matched route */
export function useIsAllowed(route: string): boolean {
  const access = useAccess();
  const page = PAGES.find(({ to }) => route === to || route.startsWith(`${to}/`));
  return page === undefined || isShown(page, access);
}
