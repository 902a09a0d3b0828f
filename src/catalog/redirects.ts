import type { StoragePath } from '../path.ts';

/** A previous path of a file or folder, whose URLs lead to where that is now. */
export interface Redirect {
  from: StoragePath;
  /** Present path of the target; its previous one while it is in the trash. */
  to: StoragePath;
  /** True for a folder: the redirect also applies to everything below it. */
  isFolder: boolean;
  /** True while the target is in the trash. */
  isTrashed: boolean;
  /** Path of the target in the trash, with which the redirect can be stored again. */
  hidden?: StoragePath;
  createdAt: number;
}

/** Returns where a redirect leads from its path, or from below it. */
export function destinationOf({ from, to }: Pick<Redirect, 'from' | 'to'>, path: StoragePath): StoragePath {
  return (to + path.slice(from.length)) as StoragePath;
}

/** True if a redirect from a path to another one is followed. */
export type MayLead = (from: StoragePath, to: StoragePath) => boolean;

export type NewRedirect = Omit<Redirect, 'isTrashed'>;

export interface ListedRedirect extends Redirect {
  /** True while a file has the previous path of a file: it is delivered, not the target. False for folders. */
  isOverruled: boolean;
}

/** Conditions on redirects. */
export interface RedirectFilter {
  /** Redirects of these paths. */
  from?: readonly StoragePath[] | undefined;
  /** Redirects that lead to a file or folder, also by a folder above it. */
  to?: StoragePath | undefined;
}

/**
 * Redirects by their previous path. They point at paths, and are moved along in the step that moves the rows there, into
 * the trash and out of it too. None points at another one.
 */
export interface Redirects {
  /** Returns the redirect of a path, or that of the nearest folder above it. */
  find(path: StoragePath): Promise<Redirect | undefined>;
  /** Returns redirects by their previous path, after one of them. @param folder of the previous paths */
  page(limit: number, after?: StoragePath, folder?: StoragePath, filter?: RedirectFilter): Promise<ListedRedirect[]>;
  /** Returns the number of redirects whose previous path lies in a folder. */
  count(folder?: StoragePath): Promise<number>;
  /** Returns the number of redirects whose previous path lies in no space. */
  countOutsideSpaces(): Promise<number>;
  /**
   * Stores a redirect, or replaces that of its path. Where a redirect of a folder leads to `from`, the path below that
   * folder gets one of its own: of two in a row only the first would be followed.
   * @param isGone true if nothing is left at `from`, so that redirects to it lead to the new target
   * @param mayLead false for redirects of folders that are not followed, because they lead into another space; or for
   * all of them, to put a redirect back as it was
   * @returns the paths that have got a redirect
   */
  put(redirect: NewRedirect, isGone: boolean, mayLead?: MayLead): Promise<StoragePath[]>;
  /** @returns the removed redirect */
  remove(from: StoragePath): Promise<Redirect | undefined>;
  /** True if a path, something below it, or a folder above it has a redirect. */
  areAround(path: StoragePath): Promise<boolean>;
  /** Lets redirects to a path, and to everything below it, follow a move. Those that would lead to themselves end. */
  follow(from: StoragePath, to: StoragePath): Promise<void>;
  /** Removes the redirects to a path, and to everything below it. */
  removeTo(path: StoragePath): Promise<void>;
}
