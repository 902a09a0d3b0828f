import type { AssetConditions } from '../catalog/catalog-search.ts';
import type { CatalogService } from '../catalog/catalog-service.ts';
import { type ListingPosition, listsFolders, type SpaceCatalog } from '../catalog/catalog-store.ts';
import { isFoundPath } from '../catalog/path-words.ts';
import type { AssetRecord } from '../catalog/records.ts';
import { yieldToEventLoop } from '../concurrency.ts';
import { type MediaKind, mediaTypeOf } from '../media.ts';
import { baseName, isWithin, ROOT, type StoragePath } from '../path.ts';
import { inPieces } from '../runtime/in-pieces.ts';
import type { BlobStore, FolderLevel } from '../storage/blob-store.ts';
import { after, type ListingOrder, type Row, readPosition, sortRows, writePosition } from './listing-order.ts';

export interface ListingRequest extends ListingOrder {
  path: StoragePath;
  /** Limit of folders and files together; undefined for all. */
  limit?: number | undefined;
  /** Cursor of an earlier page. */
  cursor?: string | undefined;
  /** Words that must all occur in the path below the folder: see `catalog/path-words.ts`. */
  search?: string | undefined;
  /** Kind of the listed files; folders of one level are listed regardless. */
  kind?: MediaKind | undefined;
  /** Further conditions on files, which only the catalog knows. */
  conditions?: AssetConditions | undefined;
  /** Number of skipped entries, instead of a cursor. */
  offset?: number | undefined;
}

/** A file in the response of `GET /storage`. Unknown values are null or empty. */
export interface ListedFile {
  name: string;
  path: string;
  size: number;
  mtime: string;
  type: MediaKind;
  width: number | null;
  height: number | null;
  duration: number | null;
  placeholder: string | null;
  problem: string | null;
  tags: string[];
  alt: string | null;
}

/** Response of `GET /storage`. */
export interface ListingPage {
  path: string;
  folders: { name: string; path: string }[];
  files: ListedFile[];
  /** Number of folders and files on all pages. */
  total: number;
  /** Cursor of the next page; null on the last one. */
  nextCursor: string | null;
}

export interface ListingOptions {
  store: Pick<BlobStore, 'list' | 'folders' | 'walk'>;
  sync: Pick<CatalogService, 'revalidate'> & { rows: Pick<SpaceCatalog, 'folders' | 'listing'> };
}

/** Number of rows read per step. */
const ROW_BATCH = 1000;

/** The next rows, with a flag for more. */
interface Part {
  rows: Row[];
  isLast: boolean;
  /** Undefined if it was not requested, or the folder is missing. */
  total?: number | undefined;
}

interface ListingRange {
  request: ListingRequest;
  position: Row | undefined;
  isCounted: boolean;
}

export type Listing = ReturnType<typeof createListing>;

/** Lists folders from the catalog, or from the store while only that is current. */
export function createListing({ store, sync }: ListingOptions) {
  return {
    /** Lists one level of a folder; empty if it is missing. @throws HttpProblem 400 for a cursor of another listing */
    async list(request: ListingRequest): Promise<ListingPage> {
      const { total = 0, ...page } = await read(request, true);
      return { ...page, total };
    },
    /** Lists without the total number. */
    page: (request: ListingRequest): Promise<Omit<ListingPage, 'total'>> => read(request, false),
    /** Returns a text that changes whenever the listing of the folder can change; undefined if unknown. */
    version,
    /** Returns all folders below the root, sorted. */
    folders,
  };

  async function folders(): Promise<StoragePath[]> {
    if ((await sync.revalidate(ROOT, { isDeep: true })) === 'store') return store.folders();
    return (await sync.rows.folders.below(ROOT)).map(({ path }) => path);
  }

  async function version(
    folder: StoragePath,
    request: Omit<ListingRequest, 'path' | 'sort' | 'order'>,
  ): Promise<string | undefined> {
    const found = await sync.revalidate(folder, { isDeep: looksDeep(request) });
    return found === 'rows'
      ? sync.rows.listing.version(folder, request.recursive, request.conditions?.terms)
      : undefined;
  }

  async function read(request: ListingRequest, isCounted: boolean) {
    const position = request.cursor === undefined ? undefined : readPosition(request.cursor, request);
    const { rows, isLast, total } = await partOf({ request, position, isCounted });
    const last = isLast ? undefined : rows.at(-1);
    return { ...(await toPage(request.path, rows)), total, nextCursor: last ? writePosition(last, request) : null };
  }

  async function partOf(range: ListingRange): Promise<Part> {
    const { path, conditions, sort } = range.request;
    // Looking at all folders for each page of a large library would take longer than its files.
    const isDeep = range.position === undefined && looksDeep(range.request);
    switch (await sync.revalidate(path, { isDeep })) {
      case 'rows':
        return fromCatalog(sync, range);
      case 'store':
        // The store knows neither.
        return conditions || sort === 'dimensions' ? fromCatalog(sync, range) : fromStore(store, range);
      case 'nowhere':
        return { rows: [], isLast: true };
    }
  }
}

/**
 * True if all folders below are revalidated. A search is answered from the rows as they are: all folders would have to
 * be looked at for each letter typed.
 */
function looksDeep({
  recursive = false,
  search,
  conditions,
}: Pick<ListingRequest, 'recursive' | 'search' | 'conditions'>) {
  return recursive && !search && !conditions;
}

async function fromCatalog(
  sync: Pick<ListingOptions['sync'], 'rows'>,
  { request, position, isCounted }: ListingRange,
): Promise<Part> {
  const { path: folder, limit = Number.POSITIVE_INFINITY, offset, sort, order } = request;
  const { recursive, search, kind, conditions } = request;
  const scope = { folder, recursive, search, kind, conditions };
  const counting = isCounted ? sync.rows.listing.total(scope) : undefined;
  // A failure of the rows is reported before that of the total.
  counting?.catch(() => undefined);
  const rows: Row[] = [];
  let last = position && positionOf(position);
  for (;;) {
    // One extra row shows if there are more.
    const size = Math.min(ROW_BATCH, limit + 1 - rows.length);
    const from = last ? { after: last } : { offset };
    const part = await sync.rows.listing.page({ ...scope, sort, order, limit: size, ...from });
    const found: Row[] = [...part.folders.map(({ path }) => folderRow(path)), ...part.files.map(assetRow)];
    rows.push(...found);
    const final = found.at(-1);
    if (rows.length > limit) return { rows: rows.slice(0, limit), isLast: false, total: await counting };
    if (!final || found.length < size) return { rows, isLast: true, total: await counting };
    last = positionOf(final);
    // An in-process database responds before anything else has run.
    await yieldToEventLoop();
  }
}

const positionOf = ({ path, isFolder, size, pixels, mtime, created, id = 0 }: Row): ListingPosition => ({
  path,
  isFolder,
  size,
  pixels,
  id,
  modifiedAt: mtime,
  createdAt: created,
});

const folderRow = (path: StoragePath): Row => ({ path, isFolder: true, size: 0, mtime: 0, created: 0, pixels: 0 });

function assetRow(asset: AssetRecord): Row {
  const { path, size, modifiedAt, createdAt, width, height, id } = asset;
  const pixels = (width ?? 0) * (height ?? 0);
  return { path, isFolder: false, size, mtime: modifiedAt, created: createdAt, pixels, id, asset };
}

async function fromStore(store: ListingOptions['store'], { request, position }: ListingRange): Promise<Part> {
  const { path: folder, kind, search = '', offset = 0, limit } = request;
  const { folders, files } = await entriesOf(store, request);
  const isFound = (path: StoragePath, isFolder: boolean) => isFoundPath(search, path, folder, isFolder);
  const found: Row[] = [];
  for await (const piece of inPieces(folders))
    found.push(...piece.filter((path) => isFound(path, true)).map(folderRow));
  for await (const piece of inPieces(files)) {
    for (const { path, size, modifiedAt, createdAt } of piece) {
      if (!isFound(path, false) || (kind !== undefined && mediaTypeOf(path).kind !== kind)) continue;
      const times = { mtime: modifiedAt.getTime(), created: createdAt.getTime() };
      found.push({ path, isFolder: false, size, pixels: 0, ...times });
    }
  }
  const sorted = await sortRows(found, request);
  const start = position ? after(sorted, position, request) : offset;
  const rows = sorted.slice(start, limit === undefined ? undefined : start + limit);
  return { rows, isLast: start + rows.length >= sorted.length, total: sorted.length };
}

/** Reads the folders and files that a listing may have. */
async function entriesOf(store: ListingOptions['store'], request: ListingRequest): Promise<FolderLevel> {
  const { path: folder, recursive } = request;
  if (!recursive) return store.list(folder);
  const files = await Array.fromAsync(store.walk(folder));
  if (!listsFolders(request)) return { folders: [], files };
  const folders = (await store.folders()).filter((path) => path !== folder && isWithin(path, folder));
  return { folders, files };
}

async function toPage(
  path: StoragePath,
  page: readonly Row[],
): Promise<Pick<ListingPage, 'path' | 'folders' | 'files'>> {
  const folders: ListingPage['folders'] = [];
  const files: ListingPage['files'] = [];
  for await (const piece of inPieces(page)) {
    for (const row of piece) {
      const name = baseName(row.path);
      if (row.isFolder) folders.push({ name, path: row.path });
      else files.push({ ...listedFile(row), name });
    }
  }
  return { path, folders, files };
}

function listedFile({ path, size, mtime, asset }: Row): Omit<ListedFile, 'name'> {
  const { width = null, height = null, duration = null, placeholder = null } = asset ?? {};
  const { problem = null, tags = [], alt = null } = asset ?? {};
  return {
    path,
    size,
    mtime: new Date(mtime).toISOString(),
    type: mediaTypeOf(path).kind,
    width,
    height,
    duration,
    placeholder,
    problem,
    tags,
    alt,
  };
}
