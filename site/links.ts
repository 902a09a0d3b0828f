import { posix } from 'node:path';

export interface LinkTargets {
  /** The pages of the site, from the root of the repository. */
  pages: readonly string[];
  /** Where the repository can be read: `https://github.com/owner/darkroom/blob/main`. Without it, files are part of the site. */
  repository?: string | undefined;
}

export type Link =
  /** A page of the site or an address elsewhere: as it is. */
  | { kind: 'as-written' }
  /** Something else, and where it can be read. */
  | { kind: 'elsewhere'; href: string }
  /** A file of the repository, from its root, that the site has to bring. */
  | { kind: 'file'; path: string };

/** Where a link leads that stands on a page. @param page its path from the root of the repository */
export function resolveLink(page: string, href: string, { pages, repository }: LinkTargets): Link {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return { kind: 'as-written' };
  const [target = ''] = href.split('#');
  const path = posix.normalize(posix.join(posix.dirname(page), target));
  if (pages.includes(path)) return { kind: 'as-written' };
  return repository === undefined ? { kind: 'file', path } : { kind: 'elsewhere', href: `${repository}/${path}` };
}
