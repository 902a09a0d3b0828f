import type { CatalogStore } from '../catalog/catalog-store.ts';
import { isFoundPath } from '../catalog/path-words.ts';
import { badRequest } from '../errors.ts';
import type { MediaKind } from '../media.ts';
import { isWithin, parentOf, parsePath, quote, ROOT, type StoragePath } from '../path.ts';
import { inParallel } from '../storage/in-parallel.ts';
import type { Assets } from './assets.ts';
import type { Library } from './library.ts';
import type { Listing } from './listing.ts';
import { noFile } from './problems.ts';
import type { Trash } from './trash.ts';

export interface BatchOptions {
  library: Pick<Library, 'move' | 'copy' | 'remove' | 'invalidate'>;
  trash: Pick<Trash, 'put' | 'restoreLatestOf'>;
  listing: Pick<Listing, 'page'>;
  catalog: Pick<CatalogStore, 'tags'>;
  assets: Pick<Assets, 'find'>;
}

/** Operation on each file or folder. */
export type BatchAction =
  | { action: 'move'; destination: StoragePath; isRedirected?: boolean }
  | { action: 'copy'; destination?: StoragePath | undefined }
  | { action: 'delete'; isForTrash: boolean }
  | { action: 'restore' | 'invalidate' }
  | { action: 'tag' | 'untag'; tags: readonly string[] };

export interface BatchItem {
  /** Path as requested. */
  path: string;
  /** Folders are deleted only if marked as such. */
  isFolder: boolean;
}

/** Selection of a folder listing, with exceptions. */
export interface BatchRule {
  folder: StoragePath;
  search?: string | undefined;
  /** Includes everything below the folder, as in a listing. */
  recursive?: boolean | undefined;
  /** Folders are excluded. */
  kind?: MediaKind | undefined;
  except: readonly StoragePath[];
  cursor?: string | undefined;
}

export interface BatchResult {
  path: string;
  newPath?: StoragePath;
  /** Tags that a tag action has added or removed; those that the file had, or did not have, are left out. */
  changedTags?: string[];
  /** Error that the endpoint for one file would have thrown. */
  error?: unknown;
}

export interface BatchPage {
  results: BatchResult[];
  /** Null when all items are done. */
  nextCursor: string | null;
}

export const MAX_TAGS = 100;

const CONCURRENCY = 4;
/** Limits for a folder: items read per step; results, and the time, after which no more steps begin. */
const PAGE = 50;
const MAX_RESULTS = 200;
const TIME_MS = 10_000;

/** Applies one operation to many files and folders; a failure does not affect the others. */
export class Batch {
  readonly #options: BatchOptions;

  constructor(options: BatchOptions) {
    this.#options = options;
  }

  /** @returns a result for each item, in their order */
  async items(items: readonly BatchItem[], action: BatchAction): Promise<BatchResult[]> {
    const results: BatchResult[] = items.map(({ path }) => ({ path }));
    await inParallel(results.entries(), concurrency(items), async ([at, result]) => {
      const item = items[at];
      if (!item) return;
      try {
        Object.assign(result, await this.#act(item, action));
      } catch (error) {
        result.error = error;
      }
    });
    return results;
  }

  /** Applies it to a folder listing, for a limited time. @throws HttpProblem 400 for a foreign cursor */
  async folder(rule: BatchRule, action: BatchAction): Promise<BatchPage> {
    if (action.action === 'copy' && (action.destination ?? rule.folder) === rule.folder)
      throw badRequest('In "destination": expected another folder than that of the files.', 'invalid_destination');
    if (action.action === 'restore')
      throw badRequest('In "folder": expected "items" for restore.', 'validation_failed');
    const results: BatchResult[] = [];
    const endsAt = Date.now() + TIME_MS;
    for (let cursor = rule.cursor; ; ) {
      const page = await this.#page({ ...rule, cursor }, action);
      results.push(...(await this.items(page.items, action)));
      if (page.nextCursor === null) return { results, nextCursor: null };
      cursor = page.nextCursor;
      if (Date.now() >= endsAt || results.length + PAGE > MAX_RESULTS) return { results, nextCursor: cursor };
    }
  }

  async #page(rule: BatchRule, action: BatchAction) {
    const { folder, search, recursive, kind, except, cursor } = rule;
    const order = { sort: 'name', order: 'asc' } as const;
    const request = { path: folder, search, recursive, kind, cursor, limit: PAGE, ...order };
    const listed = await this.#options.listing.page(request);
    const takesFolders = kind === undefined && ['move', 'delete', 'invalidate'].includes(action.action);
    const items = [
      ...(takesFolders ? listed.folders : []).map(({ path }) => ({ path, isFolder: true })),
      ...listed.files.map(({ path }) => ({ path, isFolder: false })),
    ];
    const isLeft = (path: StoragePath) =>
      except.includes(path) || (takesFolders && isInFound(path, rule)) || isAtDestination(path, rule, action);
    return { items: items.filter(({ path }) => !isLeft(path as StoragePath)), nextCursor: listed.nextCursor };
  }

  async #act({ path: rawPath, isFolder }: BatchItem, action: BatchAction): Promise<Partial<BatchResult>> {
    const { library, trash } = this.#options;
    const path = parsePath(rawPath);
    if (path === ROOT) throw badRequest('Expected the path of a file or folder, received none.', 'missing_input');
    switch (action.action) {
      case 'move':
        return { newPath: await library.move(path, action.destination, action) };
      case 'copy':
        return { newPath: await library.copy(path, action.destination) };
      case 'delete':
        if (action.isForTrash) await trash.put(path, { recursive: isFolder });
        else await library.remove(path, { recursive: isFolder });
        return {};
      case 'restore':
        return { newPath: await trash.restoreLatestOf(path) };
      case 'invalidate':
        await library.invalidate(path);
        return {};
      case 'tag':
        return { changedTags: await this.#tag(path, action.tags) };
      case 'untag':
        return { changedTags: await this.#untag(path, action.tags) };
    }
  }

  /** @returns the added tags */
  async #tag(path: StoragePath, tags: readonly string[]): Promise<string[]> {
    const { assets, catalog } = this.#options;
    const known = await assets.find(path);
    const added = [...new Set(tags)].filter((tag) => !known.tags.includes(tag));
    const count = known.tags.length + added.length;
    if (count > MAX_TAGS)
      throw badRequest(`Expected at most ${MAX_TAGS} tags, and ${quote(path)} would have ${count}.`, 'too_many_items');
    if (added.length === 0) return [];
    const found = await catalog.tags.change([path], { add: added });
    if (found.length === 0) throw noFile(path);
    return added;
  }

  /** @returns the removed tags */
  async #untag(path: StoragePath, tags: readonly string[]): Promise<string[]> {
    const { assets, catalog } = this.#options;
    const known = await assets.find(path);
    const removed = known.tags.filter((tag) => tags.includes(tag));
    if (removed.length > 0) await catalog.tags.change([path], { remove: removed });
    return removed;
  }
}

/** True if a folder above the item is found too, so that the item goes with it. */
function isInFound(path: StoragePath, { folder, search = '', recursive, except }: BatchRule): boolean {
  if (!recursive || search === '') return false;
  for (let above = parentOf(path); above.length > folder.length; above = parentOf(above))
    if (!except.includes(above) && isFoundPath(search, above, folder, true)) return true;
  return false;
}

/** True for what has been moved or copied already: with `recursive`, the destination may be listed too. */
function isAtDestination(path: StoragePath, { recursive }: BatchRule, action: BatchAction): boolean {
  const isAdding = action.action === 'move' || action.action === 'copy';
  return recursive === true && isAdding && parentOf(path) === action.destination;
}

/**
 * Returns the limit of items processed concurrently: 1, in list order, if some are duplicates or lie in another item.
 */
function concurrency(items: readonly BatchItem[]): number {
  if (new Set(items.map(({ path }) => path)).size < items.length) return 1;
  const folders = items.filter(({ isFolder }) => isFolder);
  return folders.some(({ path }) =>
    items.some((one) => one.path !== path && isWithin(one.path as StoragePath, path as StoragePath)),
  )
    ? 1
    : CONCURRENCY;
}
