import { posix } from 'node:path';

export interface LinkTargets {
  /** The pages of the site, from the root of the repository. */
  pages: readonly string[];
  /**
   * Base URL of the repository: `https://github.com/owner/darkroom/blob/main`. Without it, files are part of the site.
   */
  repository?: string | undefined;
}

export type Link =
  /** A page of the site or an external URL: unchanged. */
  | { kind: 'as-written' }
  /** Another file, and its URL. */
  | { kind: 'elsewhere'; href: string }
  /** A file of the repository, from its root, that the site must include. */
  | { kind: 'file'; path: string };

/**
 * Resolves a link on a page.
 * @param page its path from the root of the repository
 */
export function resolveLink(page: string, href: string, { pages, repository }: LinkTargets): Link {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return { kind: 'as-written' };
  const [target = ''] = href.split('#');
  const path = posix.normalize(posix.join(posix.dirname(page), target));
  if (pages.includes(path)) return { kind: 'as-written' };
  return repository === undefined ? { kind: 'file', path } : { kind: 'elsewhere', href: `${repository}/${path}` };
}
