import { ROOT, type StoragePath } from '../../path.ts';
import type { Bucket } from './bucket.ts';
import type { Keys } from './keys.ts';
import { listPages } from './list.ts';

/** Result of one listing: which of the names that it covers are taken. */
interface Look {
  covers(name: StoragePath): boolean;
  taken: ReadonlySet<StoragePath>;
}

/** More names than this rarely share a prefix. If they do, the first name is checked separately. */
const FIRST_LOOK = 100;

/**
 * Yields the free names, usually after one listing of all keys with their common prefix.
 * @param names of one folder; adjacent names share a prefix: `image.jpg`, `image (1).jpg`
 * @param isTaken checks for a file or a folder at a path
 */
export async function* findFreeNames(
  bucket: Bucket,
  keys: Keys,
  names: Iterable<StoragePath>,
  isTaken: (path: StoragePath) => Promise<boolean>,
): AsyncGenerator<StoragePath> {
  let look: Look | undefined;
  for (const [name, next] of withNext(names)) {
    // It has to fit into a key.
    keys.file(name);
    const start = sharedStart(name, next);
    if (look === undefined) {
      look = (await checkStart(bucket, keys, start, FIRST_LOOK)) ?? checkName(name, await isTaken(name));
    } else if (!look.covers(name)) {
      look = await checkStart(bucket, keys, start);
    }
    if (!look?.taken.has(name)) yield name;
  }
}

/** Returns undefined where there is more than the limit. */
async function checkStart(
  bucket: Bucket,
  keys: Keys,
  start: string,
  limit = Number.POSITIVE_INFINITY,
): Promise<Look | undefined> {
  const taken = new Set<StoragePath>();
  const pages = listPages(bucket, keys.folder(ROOT) + start, { level: true, pageSize: limit + 1 });
  for await (const { objects, prefixes } of pages) {
    for (const key of [...prefixes, ...objects.map((object) => object.key)]) {
      const path = keys.path(key);
      if (path !== undefined) taken.add(path);
    }
    if (taken.size > limit) return undefined;
  }
  return { covers: (name) => name.startsWith(start), taken };
}

function checkName(name: StoragePath, isTaken: boolean): Look {
  return { covers: (other) => other === name, taken: new Set(isTaken ? [name] : []) };
}

/** Returns the common prefix of two names, without half a character at its end. */
function sharedStart(name: string, other = name): string {
  let length = 0;
  while (length < name.length && name[length] === other[length]) length++;
  const start = name.slice(0, length);
  return start.isWellFormed() ? start : start.slice(0, -1);
}

function* withNext<T>(items: Iterable<T>): Generator<[T, T | undefined]> {
  let before: { item: T } | undefined;
  for (const item of items) {
    if (before) yield [before.item, item];
    before = { item };
  }
  if (before) yield [before.item, undefined];
}
