import { MAX_PATH_BYTES, type StoragePath } from '../path.ts';
import { destinationOf, type Redirects } from './redirects.ts';

/** Where the redirect of a path leads. */
export interface Redirected {
  /** Undefined if the target cannot be reached from there. */
  to: StoragePath | undefined;
}

export interface RedirectLookupOptions {
  redirects: Pick<Redirects, 'find' | 'page'>;
  /** True for paths of one space, or of none: no redirect crosses that border. */
  areTogether(path: StoragePath, other: StoragePath): boolean;
}

export type RedirectLookup = (path: StoragePath) => Promise<Redirected | undefined>;

/**
 * Creates the look-up of redirects for delivery, which works without the catalog: while the database is unavailable,
 * files are missing as before, unless a redirect is known to exist.
 */
export function createRedirectLookup({ redirects, areTogether }: RedirectLookupOptions): RedirectLookup {
  let doExist: boolean | undefined;
  return async (path) => {
    try {
      const found = await redirects.find(path);
      if (found) doExist = true;
      else doExist ??= (await redirects.page(1)).length > 0;
      if (!found) return undefined;
      const to = destinationOf(found, path);
      const isReachable = !found.isTrashed && Buffer.byteLength(to) <= MAX_PATH_BYTES && areTogether(path, to);
      return { to: isReachable ? to : undefined };
    } catch (error) {
      if (doExist) throw error;
      return undefined;
    }
  };
}
