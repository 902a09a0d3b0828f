import { z } from 'zod';
import type { SpaceCatalog } from '../catalog/catalog-store.ts';
import type { FileEvent } from '../catalog/file-events.ts';
import {
  destinationOf,
  type ListedRedirect,
  type NewRedirect,
  type Redirect,
  type RedirectFilter,
} from '../catalog/redirects.ts';
import type { Purges } from '../cdn/purges.ts';
import type { PathLock } from '../cluster/cluster.ts';
import { badRequest, conflict, notFound } from '../errors.ts';
import { mediaTypeOf } from '../media.ts';
import { isWithin, quote, ROOT, type StoragePath } from '../path.ts';
import { type BlobStore, hasDoneNothing } from '../storage/blob-store.ts';
import { readCursor, writeCursor, wrongCursor } from './cursor.ts';
import { noFileOrFolder } from './problems.ts';

export interface RedirectingOptions {
  catalog: Pick<SpaceCatalog, 'redirects' | 'inOneStep'>;
  store: Pick<BlobStore, 'stat' | 'folderExists'>;
  lock: PathLock;
  purges: Pick<Purges, 'during'> | undefined;
  /** Applies a change of a file or folder here and on the other nodes. */
  changed(path: StoragePath, isFolder: boolean): Promise<void>;
  /** True for paths of one space, or of none. */
  areTogether(path: StoragePath, other: StoragePath): boolean;
  /** Returns the number of redirects in the space of a path, or outside of all; more only if that is below the limit. */
  countTogether(path: StoragePath): Promise<number>;
  now?: () => number;
}

/** A file or folder that gets another path. */
interface Move {
  from: StoragePath;
  to: StoragePath;
  isFolder: boolean;
}

export interface RedirectRequest extends RedirectFilter {
  limit: number;
  cursor?: string | undefined;
}

export interface RedirectPage {
  redirects: ListedRedirect[];
  /** Cursor of the next page; null on the last one. */
  nextCursor: string | null;
}

/** Maximum number of redirects, of each space, and of the library outside of all. */
export const MAX_REDIRECTS = 100_000;

/** Keeps the previous URLs of moved files and folders working. */
export class Redirecting {
  readonly #options: RedirectingOptions;

  constructor(options: RedirectingOptions) {
    this.#options = options;
  }

  /**
   * Redirects a path to a file or folder, or to where the redirect of that path leads.
   * @throws HttpProblem 400 for paths that cannot be redirected, 404 without a target, 409 for a loop, a taken name,
   * another space, and too many redirects
   */
  create(from: StoragePath, to: StoragePath): Promise<NewRedirect> {
    const { lock, store } = this.#options;
    for (const path of [from, to])
      if (path === ROOT) throw badRequest('Expected the path of a file or folder, received none.', 'missing_input');
    return lock.run([from, to], async () => {
      assertNoLoop(from, to);
      if (await store.stat(from)) {
        const message = `There is a file ${quote(from)}, which its URL delivers. Rename or delete it first.`;
        throw conflict(message, 'name_taken');
      }
      const target = await this.#targetOf(to, from);
      const move = { from, to: target.path, isFolder: target.isFolder };
      const isGone = !(await store.folderExists(from));
      const redirect = await this.#purging(move, async () => (await this.#put(move, isGone)).redirect);
      await this.#options.changed(from, move.isFolder);
      return redirect;
    });
  }

  /** @throws HttpProblem 400 for an invalid cursor */
  async list({ limit, cursor, ...filter }: RedirectRequest): Promise<RedirectPage> {
    const after = cursor === undefined ? undefined : positionOf(cursor);
    const redirects = await this.#options.catalog.redirects.page(limit + 1, after, ROOT, filter);
    const last = redirects.length > limit ? redirects[limit - 1] : undefined;
    return { redirects: redirects.slice(0, limit), nextCursor: last ? writeCursor([last.from]) : null };
  }

  /** @throws HttpProblem 404 */
  async remove(from: StoragePath): Promise<Redirect> {
    const { catalog, changed, lock } = this.#options;
    return lock.run([from], async () => {
      const found = from === ROOT ? undefined : await catalog.redirects.find(from);
      if (found?.from !== from) throw notFound(`${quote(from)} has no redirect.`, 'redirect_not_found');
      await this.#purging(found, () =>
        catalog.inOneStep(async (rows) => {
          const removed = await rows.redirects.remove(from);
          if (removed) await rows.events.add([eventOf('redirect.deleted', removed)]);
        }),
      );
      await changed(from, found.isFolder);
      return found;
    });
  }

  /**
   * Runs a move whose previous path stays valid. The redirect is stored before: while a file is at its path it has no
   * effect, so a process that ends at any moment leaves no path without an answer. The caller holds both paths.
   */
  async whileMoving<T>(move: Move, change: () => Promise<T>): Promise<T> {
    const { redirects } = this.#options.catalog;
    const before = await redirects.find(move.from);
    const { added } = await this.#put(move, false);
    try {
      return await change();
    } catch (error) {
      if (hasDoneNothing(error)) await this.#undo(added, before?.from === move.from ? before : undefined);
      throw error;
    }
  }

  async #put(move: Move, isGone: boolean): Promise<{ redirect: NewRedirect; added: StoragePath[] }> {
    const { catalog, areTogether, countTogether, now = Date.now } = this.#options;
    const { from, to, isFolder } = move;
    if (!isFolder && mediaTypeOf(from).kind !== mediaTypeOf(to).kind) {
      const message = `Expected paths of files of one kind, received ${quote(from)} and ${quote(to)}.`;
      throw badRequest(message, 'validation_failed');
    }
    if (!areTogether(from, to)) {
      const message = `Expected paths of one space, received ${quote(from)} and ${quote(to)}.`;
      throw conflict(message, 'space_conflict');
    }
    if ((await countTogether(from)) >= MAX_REDIRECTS) {
      const message = `Expected at most ${MAX_REDIRECTS} redirects, and all of them exist. Delete some first.`;
      throw conflict(message, 'too_many_redirects');
    }
    const redirect = { from, to, isFolder, createdAt: now() };
    const added = await catalog.inOneStep(async (rows) => {
      const paths = await rows.redirects.put(redirect, isGone, areTogether);
      await rows.events.add([eventOf('redirect.created', redirect)]);
      return paths;
    });
    return { redirect, added };
  }

  async #undo(added: readonly StoragePath[], before: Redirect | undefined): Promise<void> {
    await this.#options.catalog.inOneStep(async (rows) => {
      for (const path of added) {
        const removed = await rows.redirects.remove(path);
        if (removed) await rows.events.add([eventOf('redirect.deleted', removed)]);
      }
      if (before) await rows.redirects.put(before, false, () => false);
    });
  }

  #purging<T>({ from, isFolder }: Pick<Move, 'from' | 'isFolder'>, change: () => Promise<T>): Promise<T> {
    const { purges } = this.#options;
    return purges ? purges.during(from, isFolder ? 'either' : 'file', change) : change();
  }

  /** Returns what is at a path, or where its redirect leads. @throws HttpProblem 404, and 409 if that is `from` */
  async #targetOf(path: StoragePath, from: StoragePath): Promise<{ path: StoragePath; isFolder: boolean }> {
    const kind = await this.#kindOf(path);
    if (kind) return { path, isFolder: kind === 'folder' };
    const found = await this.#options.catalog.redirects.find(path);
    if (!found) throw noFileOrFolder(path);
    const end = destinationOf(found, path);
    assertNoLoop(from, end);
    const kindOfEnd = found.isTrashed ? undefined : await this.#kindOf(end);
    if (!kindOfEnd) throw noFileOrFolder(path);
    return { path: end, isFolder: kindOfEnd === 'folder' };
  }

  async #kindOf(path: StoragePath): Promise<'file' | 'folder' | undefined> {
    const { store } = this.#options;
    if (await store.stat(path)) return 'file';
    return (await store.folderExists(path)) ? 'folder' : undefined;
  }
}

/** @throws HttpProblem 409 */
function assertNoLoop(from: StoragePath, to: StoragePath): void {
  if (!isWithin(to, from)) return;
  const message = `Expected a target outside of ${quote(from)}, received ${quote(to)}: the redirect would be a loop.`;
  throw conflict(message, 'redirect_loop');
}

/** The event of a folder stands for everything below it. */
const eventOf = (
  type: 'redirect.created' | 'redirect.deleted',
  { from, to, isFolder }: Omit<NewRedirect, 'createdAt'>,
): FileEvent => ({ type, path: to, from, isFolder });

const cursorForm = z.tuple([z.string()]);

function positionOf(cursor: string): StoragePath {
  const [from] = readCursor(cursor, cursorForm);
  // PostgreSQL rejects text with NUL.
  if (from.includes('\0') || from.startsWith('/')) throw wrongCursor(cursor);
  return from as StoragePath;
}
