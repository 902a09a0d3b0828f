import { type _Object, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { baseName, parentOf, ROOT, type StoragePath } from '../../path.ts';
import { byCodeUnits, sortInPieces } from '../../runtime/in-pieces.ts';
import type { UnreachableName } from '../backend.ts';
import type { BlobEntry, BlobStat, FolderLevel, FolderPart } from '../blob-store.ts';
import type { Bucket } from './bucket.ts';
import type { Keys } from './keys.ts';

/** An object in a listing. */
export interface ListedObject {
  key: string;
  size: number;
  etag: string;
  modifiedAt: Date;
}

interface Page {
  objects: ListedObject[];
  /** Common prefixes of the keys below, up to the next `/`. */
  prefixes: string[];
}

const PAGE = 1000;

/** Yields all keys with a prefix, page by page. `level` stops at the next `/`. */
export async function* listPages(
  bucket: Bucket,
  prefix: string,
  options: { level?: boolean; pageSize?: number } = {},
): AsyncGenerator<Page> {
  let token: string | undefined;
  do {
    const command = new ListObjectsV2Command({
      Bucket: bucket.name,
      Prefix: prefix,
      MaxKeys: Math.min(PAGE, options.pageSize ?? PAGE),
      // Without it, XML cannot hold a name with a control character.
      EncodingType: 'url',
      ...(options.level && { Delimiter: '/' }),
      ...(token !== undefined && { ContinuationToken: token }),
    });
    const page = await bucket.request(command, { timeoutFactor: 2 });
    // A store that ignores the parameter returns keys unencoded and omits the element.
    const readKey = page.EncodingType === 'url' ? decodeKey : (key: string) => key;
    yield {
      objects: (page.Contents ?? []).flatMap((object) => {
        const key = readKey(object.Key ?? '');
        return key === undefined ? [] : [{ key, ...readObject(object) }];
      }),
      prefixes: (page.CommonPrefixes ?? []).flatMap(({ Prefix = '' }) => readKey(Prefix) ?? []),
    };
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** Yields all objects with a prefix. */
export async function* listObjects(bucket: Bucket, prefix: string): AsyncGenerator<ListedObject> {
  for await (const { objects } of listPages(bucket, prefix)) yield* objects;
}

/** True if any key has the prefix. */
export async function hasObjects(bucket: Bucket, prefix: string): Promise<boolean> {
  // A page may contain only a key that cannot be read.
  for await (const { objects } of listPages(bucket, prefix, { pageSize: 1 })) if (objects.length > 0) return true;
  return false;
}

/** Lists one level, as `BlobStore.list`. */
export async function listLevel(
  bucket: Bucket,
  keys: Keys,
  folder: StoragePath,
  limit = Number.POSITIVE_INFINITY,
): Promise<FolderLevel> {
  const folders: StoragePath[] = [];
  const files: BlobEntry[] = [];
  // The object of the folder itself is one of the keys.
  for await (const page of listPages(bucket, keys.folder(folder), { level: true, pageSize: limit + 1 })) {
    for (const prefix of page.prefixes) {
      const path = keys.path(prefix);
      if (path !== undefined) folders.push(path);
    }
    files.push(...filesOf(page.objects, keys));
    if (folders.length + files.length >= limit) break;
  }
  return {
    folders: await sortInPieces(folders, byCodeUnits),
    files: await sortInPieces(files, (one, other) => byCodeUnits(one.path, other.path)),
  };
}

/** Yields every file below a folder. */
export async function* walkFiles(bucket: Bucket, keys: Keys, folder: StoragePath): AsyncGenerator<BlobEntry> {
  for await (const { objects } of listPages(bucket, keys.folder(folder))) yield* filesOf(objects, keys);
}

/** Lists one level, as `BlobStore.scan`. */
export async function* scanFolder(bucket: Bucket, keys: Keys, folder: StoragePath): AsyncGenerator<FolderPart> {
  const level = await listLevel(bucket, keys, folder);
  const exists = level.folders.length + level.files.length > 0 || (await hasObjects(bucket, keys.folder(folder)));
  if (exists || folder === ROOT) yield { folder, fingerprint: undefined, ...level };
}

/** Yields everything below a folder, as `BlobStore.scan`. */
export async function* scanFolders(bucket: Bucket, keys: Keys, folder: StoragePath): AsyncGenerator<FolderPart> {
  let exists = false;
  for await (const { objects } of listPages(bucket, keys.folder(folder))) {
    const parts = new Map<StoragePath, FolderPart>();
    const partOf = (path: StoragePath) => {
      const part = parts.get(path) ?? { folder: path, fingerprint: undefined, folders: [], files: [] };
      parts.set(path, part);
      return part;
    };
    for (const { key } of objects) {
      const path = key.endsWith('/') ? keys.path(key) : undefined;
      if (path !== undefined) partOf(path);
    }
    for (const file of filesOf(objects, keys)) partOf(parentOf(file.path)).files.push(file);
    if (parts.size > 0 && !parts.has(folder) && !exists) partOf(folder);
    exists ||= parts.has(folder);
    yield* parts.values();
  }
  if (!exists && folder === ROOT) yield { folder, fingerprint: undefined, folders: [], files: [] };
}

/** Returns every folder below another one: listing all keys takes fewer requests than one listing per folder. */
export async function listFolders(bucket: Bucket, keys: Keys, below: StoragePath = ROOT): Promise<StoragePath[]> {
  const found = new Set<StoragePath>();
  for await (const { key } of listObjects(bucket, keys.folder(below))) {
    const path = keys.path(key);
    if (path === undefined) continue;
    let folder = key.endsWith('/') ? path : parentOf(path);
    for (; folder !== below && !found.has(folder); folder = parentOf(folder)) found.add(folder);
  }
  return sortInPieces([...found], byCodeUnits);
}

/**
 * Implements `OpenBackend.unreachable`: yields keys that are no paths, such as names that are not in NFC, or empty
 * ones.
 */
export async function* unreachableNames(bucket: Bucket, keys: Keys): AsyncGenerator<UnreachableName> {
  const root = keys.folder(ROOT);
  for await (const { key } of listObjects(bucket, root)) {
    if (key !== root && keys.path(key) === undefined) yield { name: key.slice(root.length), hiddenBy: undefined };
  }
}

export function toBlobStat({ size, etag, modifiedAt }: Omit<ListedObject, 'key'>): BlobStat {
  return { size, etag, createdAt: modifiedAt, modifiedAt };
}

/** Returns an ETag without quotes, so that those of listings and of headers are equal. */
export function readEtag(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '');
}

/** Returns a date in whole seconds: listings may include ms; the header of an object never does. */
export function readDate(date: Date | undefined): Date {
  const time = date?.getTime() ?? 0;
  return new Date(time - (time % 1000));
}

function filesOf(objects: readonly ListedObject[], keys: Keys): BlobEntry[] {
  return objects.flatMap((object) => {
    const path = object.key.endsWith('/') ? undefined : keys.path(object.key);
    return path === undefined || baseName(path) === '' ? [] : [{ path, ...toBlobStat(object) }];
  });
}

function readObject({ Size = 0, ETag, LastModified }: _Object): Omit<ListedObject, 'key'> {
  return { size: Size, etag: readEtag(ETag), modifiedAt: readDate(LastModified) };
}

/**
 * Decodes a key of a listing that declares it encoded. Some stores write a space as `+`, and all write a `+` as `%2B`.
 * @returns undefined for a key that is not UTF-8: no request can name it
 */
function decodeKey(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
