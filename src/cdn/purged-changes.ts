import type { StoragePath } from '../path.ts';
import type { BlobWrites, WriteOptions } from '../storage/blob-store.ts';
import type { RetentionMoves } from '../storage/retention-store.ts';
import type { Purges } from './purges.ts';

type IsRedirected = (path: StoragePath) => Promise<boolean>;

const noneIsRedirected: IsRedirected = async () => false;

/**
 * Wraps the writes of a store so that each change purges the CDN, and no caller can skip it. A new file purges nothing,
 * because the previous content of its path was purged when it left, unless a redirect has delivered another one there.
 * @param isRedirected true if a path, or something below it, has a redirect
 */
export function purgeChanges(
  store: BlobWrites,
  purges: Pick<Purges, 'during'>,
  isRedirected: IsRedirected = noneIsRedirected,
): BlobWrites {
  const file = <T>(path: StoragePath, change: () => Promise<T>) => purges.during(path, 'file', change);
  const folder = <T>(path: StoragePath, change: () => Promise<T>) => purges.during(path, 'folder', change);
  const written = async <T>(path: StoragePath, options: WriteOptions | undefined, change: () => Promise<T>) =>
    options?.existing === 'keep' && !(await isRedirected(path)) ? change() : file(path, change);
  const arriving = async <T>(path: StoragePath, change: () => Promise<T>) =>
    (await isRedirected(path)) ? folder(path, change) : change();
  return {
    write: (path, source, options) => written(path, options, () => store.write(path, source, options)),
    adopt: (path, local, options) => written(path, options, () => store.adopt(path, local, options)),
    copy: (from, to, options) => written(to, options, () => store.copy(from, to, options)),
    move: (from, to, options) => file(from, () => written(to, options, () => store.move(from, to, options))),
    remove: (path) => file(path, () => store.remove(path)),
    moveFolder: (from, to) => folder(from, () => arriving(to, () => store.moveFolder(from, to))),
    removeFolder: (path) => folder(path, () => store.removeFolder(path)),
    createFolder: (path) => store.createFolder(path),
  };
}

/** Wraps the moves of a retention store in the same way. */
export function purgeMoves(
  retention: RetentionMoves,
  purges: Pick<Purges, 'during'>,
  isRedirected: IsRedirected = noneIsRedirected,
): RetentionMoves {
  return {
    keep: (path, id) => purges.during(path, 'either', () => retention.keep(path, id)),
    completeKeep: (path, id) => purges.during(path, 'file', () => retention.completeKeep(path, id)),
    async giveBack(id, path) {
      const change = () => retention.giveBack(id, path);
      await ((await isRedirected(path)) ? purges.during(path, 'either', change) : change());
    },
  };
}

/** Wraps an invalidation so that it reaches the CDN too. The kind of the path is unknown: it may be missing. */
export function purgeInvalidations<Rest extends unknown[]>(
  invalidate: (path: StoragePath, ...rest: Rest) => Promise<void>,
  purges: Pick<Purges, 'during'>,
): (path: StoragePath, ...rest: Rest) => Promise<void> {
  return (path, ...rest) => purges.during(path, 'either', () => invalidate(path, ...rest));
}
