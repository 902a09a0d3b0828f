import { LRUCache } from 'lru-cache';
import { type MediaKind, mediaTypeOf } from '../media.ts';
import { baseName, isWithin, parentOf, type StoragePath } from '../path.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { after, type ListingOrder, parseCursor, type Row, sortRows, writeCursor } from './listing-order.ts';

export interface ListingRequest extends ListingOrder {
  path: StoragePath;
  /** Folders and files together; undefined for all of them. */
  limit?: number | undefined;
  /** Where an earlier page ended. */
  cursor?: string | undefined;
  /** A part of the name, whatever its case. */
  search?: string | undefined;
}

/** The answer of `GET /storage`. */
export interface ListingPage {
  path: string;
  folders: { name: string; path: string }[];
  files: { name: string; path: string; size: number; mtime: string; type: MediaKind }[];
  /** Null on the last page. */
  nextCursor: string | null;
}

/** The rows of all snapshots together. */
const MAX_REMEMBERED_ROWS = 200_000;

/** How long later pages may miss changes by other programs, in milliseconds. */
const SNAPSHOT_MS = 10_000;

export type Listing = ReturnType<typeof createListing>;

/**
 * Lists folders. Sorting needs all entries, so those that the first page found are kept for a short time: turning the pages of a
 * large folder reads it once. A first page always reads the folder again.
 */
export function createListing(store: BlobStore) {
  /** All rows of each listing, kept while somebody turns its pages. */
  const snapshots = new LRUCache<string, { path: StoragePath; rows: Row[] }>({
    maxSize: MAX_REMEMBERED_ROWS,
    sizeCalculation: ({ rows }) => Math.max(1, rows.length),
    ttl: SNAPSHOT_MS,
    ttlAutopurge: true,
  });
  // Rows that were read while a change took place must not be kept.
  let changes = 0;

  async function readRows(request: ListingRequest): Promise<Row[]> {
    const { folders, files } = await store.list(request.path);
    const rows: Row[] = folders.map((path) => ({ path, isFolder: true, size: 0, mtime: 0 }));
    for (const { path, size, modifiedAt } of files) {
      rows.push({ path, isFolder: false, size, mtime: modifiedAt.getTime() });
    }
    const wanted = request.search?.normalize('NFC').toLowerCase();
    return sortRows(wanted ? rows.filter(({ path }) => baseName(path).toLowerCase().includes(wanted)) : rows, request);
  }

  return {
    /** One level of a folder; empty when there is none. @throws HttpProblem 400 for a cursor of another listing */
    async list(request: ListingRequest): Promise<ListingPage> {
      const { path, sort, order, search, cursor, limit } = request;
      const position = cursor === undefined ? undefined : parseCursor(cursor, request);
      const key = JSON.stringify([path, sort, order, search]);
      const before = changes;
      const rows = (position && snapshots.get(key)?.rows) ?? (await readRows(request));
      const start = position ? after(rows, position, request) : 0;
      const page = rows.slice(start, limit === undefined ? undefined : start + limit);
      const last = start + page.length < rows.length ? page.at(-1) : undefined;
      if (!last) snapshots.delete(key);
      else if (before === changes) snapshots.set(key, { path, rows });
      return toPage(path, page, last && writeCursor(last, request));
    },
    /** To be called after a change by this process at a path: of a file, or of a folder with everything in it. */
    forget(changed: StoragePath): void {
      changes++;
      for (const [key, { path }] of snapshots.entries()) {
        if (path === parentOf(changed) || isWithin(path, changed) || isWithin(changed, path)) snapshots.delete(key);
      }
    },
  };
}

function toPage(path: StoragePath, page: readonly Row[], nextCursor: string | undefined): ListingPage {
  const folders: ListingPage['folders'] = [];
  const files: ListingPage['files'] = [];
  for (const row of page) {
    const name = baseName(row.path);
    if (row.isFolder) folders.push({ name, path: row.path });
    else {
      const { kind } = mediaTypeOf(row.path);
      files.push({ name, path: row.path, size: row.size, mtime: new Date(row.mtime).toISOString(), type: kind });
    }
  }
  return { path, folders, files, nextCursor: nextCursor ?? null };
}
