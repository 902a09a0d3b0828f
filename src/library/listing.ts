import type { CatalogKeeper } from '../catalog/catalog-keeper.ts';
import type { ListingPosition } from '../catalog/catalog-store.ts';
import { orUnavailable } from '../catalog/or-unavailable.ts';
import { type MediaKind, mediaTypeOf } from '../media.ts';
import { baseName, ROOT, type StoragePath } from '../path.ts';
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

export interface ListingOptions {
  store: Pick<BlobStore, 'list' | 'folders'>;
  sync: Pick<CatalogKeeper, 'rows' | 'freshen' | 'isHidden'>;
}

/** So many rows are read at a time. */
const ROWS_AT_ONCE = 1000;

/** Some of the rows that come next, and whether there are more. */
interface Part {
  rows: Row[];
  isLast: boolean;
}

export type Listing = ReturnType<typeof createListing>;

/** Lists folders: from the sync, or by reading them while only the store knows. */
export function createListing({ store, sync }: ListingOptions) {
  return {
    /** One level of a folder; empty when there is none. @throws HttpProblem 400 for a cursor of another listing */
    async list(request: ListingRequest): Promise<ListingPage> {
      const position = request.cursor === undefined ? undefined : parseCursor(request.cursor, request);
      const { rows, isLast } = await orUnavailable(() => partAfter(position, request));
      const last = isLast ? undefined : rows.at(-1);
      return toPage(request.path, rows, last && writeCursor(last, request));
    },
    /** All folders below the root, sorted. */
    folders: () => orUnavailable(folders),
  };

  async function folders(): Promise<StoragePath[]> {
    if ((await sync.freshen(ROOT, { isDeep: true })) === 'store') return store.folders();
    const below = (await sync.rows.folders.below(ROOT)).map(({ path }) => path);
    return below.filter((path) => !sync.isHidden(path));
  }

  async function partAfter(position: Row | undefined, request: ListingRequest): Promise<Part> {
    switch (await sync.freshen(request.path)) {
      case 'rows':
        return fromCatalog(sync, position, request);
      case 'store':
        return fromStore(store, position, request);
      case 'nowhere':
        return { rows: [], isLast: true };
    }
  }
}

async function fromCatalog(
  sync: Pick<CatalogKeeper, 'rows' | 'isHidden'>,
  position: Row | undefined,
  { path, sort, order, search, limit = Number.POSITIVE_INFINITY }: ListingRequest,
): Promise<Part> {
  const rows: Row[] = [];
  let last = position && positionOf(position);
  for (;;) {
    // One more shows whether there are more.
    const wanted = Math.min(ROWS_AT_ONCE, limit + 1 - rows.length);
    const part = await sync.rows.listing.page({ folder: path, sort, order, search, limit: wanted, after: last });
    const found = [
      ...part.folders.map((folder) => ({ path: folder.path, isFolder: true, size: 0, mtime: 0 })),
      ...part.files.map((file) => ({ path: file.path, isFolder: false, size: file.size, mtime: file.modifiedAt })),
    ];
    rows.push(...found.filter((row) => !sync.isHidden(row.path)));
    const final = found.at(-1);
    if (rows.length > limit) return { rows: rows.slice(0, limit), isLast: false };
    if (!final || found.length < wanted) return { rows, isLast: true };
    last = positionOf(final);
  }
}

const positionOf = ({ path, isFolder, size, mtime }: Row): ListingPosition => ({
  ...{ path, isFolder, size, modifiedAt: mtime },
  id: 0,
});

async function fromStore(
  store: Pick<BlobStore, 'list'>,
  position: Row | undefined,
  request: ListingRequest,
): Promise<Part> {
  const { folders, files } = await store.list(request.path);
  const all: Row[] = folders.map((path) => ({ path, isFolder: true, size: 0, mtime: 0 }));
  for (const { path, size, modifiedAt } of files)
    all.push({ path, isFolder: false, size, mtime: modifiedAt.getTime() });
  const wanted = request.search?.normalize('NFC').toLowerCase();
  const found = wanted ? all.filter(({ path }) => baseName(path).toLowerCase().includes(wanted)) : all;
  const sorted = sortRows(found, request);
  const start = position ? after(sorted, position, request) : 0;
  const rows = sorted.slice(start, request.limit === undefined ? undefined : start + request.limit);
  return { rows, isLast: start + rows.length >= sorted.length };
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
