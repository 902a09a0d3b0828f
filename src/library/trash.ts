import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SpaceCatalog } from '../catalog/catalog-store.ts';
import { hiddenFolder } from '../catalog/hidden.ts';
import {
  LATEST_FIRST,
  positionIn,
  type TrashItem,
  type TrashOrder,
  type TrashPosition,
} from '../catalog/retained-rows.ts';
import type { TrashService } from '../catalog/trash-service.ts';
import type { PathLock } from '../cluster/cluster.ts';
import { notFound } from '../errors.ts';
import { quote, ROOT, type StoragePath } from '../path.ts';
import { BlobNotFound, type BlobStore } from '../storage/blob-store.ts';
import type { Cleaner, Cleanup } from './cleanup.ts';
import { assertOrder, readCursor, writeCursor, wrongCursor } from './cursor.ts';
import { FreeNames, numberedNames } from './free-names.ts';
import type { AssertMovable } from './library.ts';
import { expectedFile, noFileOrFolder } from './problems.ts';

export interface TrashOptions {
  catalog: SpaceCatalog;
  trash: TrashService;
  store: BlobStore;
  cleaner: Cleaner;
  lock: PathLock;
  assertMovable?: AssertMovable | undefined;
}

export interface TrashQuery {
  limit: number;
  cursor?: string | undefined;
  order?: TrashOrder | undefined;
}

export interface TrashPage {
  items: TrashItem[];
  /** Cursor of the next page; null on the last one. */
  nextCursor: string | null;
}

/** Number of items read per query, to be removed one after the other. */
const BATCH = 100;

/**
 * Deleted files and folders that can be restored: not listed, found, served or counted, with all their metadata
 * retained. Each change of an item holds its hidden folder, as its recovery does.
 */
export class Trash {
  readonly #options: TrashOptions;
  readonly #freeNames: FreeNames;

  constructor(options: TrashOptions) {
    this.#options = options;
    this.#freeNames = new FreeNames(options.store);
  }

  /**
   * Moves a file into the trash, or with `recursive` a folder as one item.
   * @param options.isOfSpace permits the folder of a space, which is deleted along
   * @throws HttpProblem 400 for a folder otherwise, 404
   */
  put(
    path: StoragePath,
    { recursive, isOfSpace = false }: { recursive: boolean; isOfSpace?: boolean },
  ): Promise<Cleanup> {
    const { trash, store, cleaner } = this.#options;
    const id = randomUUID();
    return this.#options.lock.run([path, hiddenFolder(id)], async () => {
      const isFile = path !== ROOT && (await store.stat(path)) !== undefined;
      if (!isFile && !(await store.folderExists(path))) throw noFileOrFolder(path);
      if (!isFile && (!recursive || path === ROOT)) throw expectedFile(path);
      if (!isOfSpace) this.#options.assertMovable?.(path);
      try {
        if (!isFile) return await cleaner.folder(path, () => trash.keep(path, id));
        await trash.keep(path, id);
        return await cleaner.file(path);
      } catch (error) {
        throw error instanceof BlobNotFound ? noFileOrFolder(path) : error;
      }
    });
  }

  /** Returns a page of items, latest deletion first by default. @throws HttpProblem 400 for an invalid cursor */
  async list({ limit, cursor, order = LATEST_FIRST }: TrashQuery): Promise<TrashPage> {
    const after = cursor === undefined ? undefined : positionOf(cursor, order);
    const items = await this.#options.catalog.trash.page(limit + 1, after, ROOT, order);
    const last = items.length > limit ? items[limit - 1] : undefined;
    return { items: items.slice(0, limit), nextCursor: last ? cursorOf(last, order) : null };
  }

  /** Returns an item. @throws HttpProblem 404 */
  find(id: string): Promise<TrashItem> {
    return this.#require(id);
  }

  /** Restores an item to its path, or to a numbered one next to it. @returns the path; @throws HttpProblem 404 */
  async restore(id: string): Promise<StoragePath> {
    const { trash } = this.#options;
    const { path, kind } = await this.#require(id);
    return this.#freeNames.use(path, numberedNames(path, kind === 'folder' ? 'folder' : 'file'), ({ path: free }) =>
      this.#options.lock.run([free, hiddenFolder(id)], async () => {
        const item = await this.#require(id);
        try {
          await trash.giveBack(item, free);
        } catch (error) {
          throw error instanceof BlobNotFound ? noItem(id) : error;
        }
        return free;
      }),
    );
  }

  /** Restores the item deleted last from a path. @returns its location; @throws HttpProblem 404 */
  async restoreLatestOf(path: StoragePath): Promise<StoragePath> {
    const item = await this.#options.catalog.trash.latestOf(path);
    if (item) return this.restore(item.id);
    throw notFound(`There is nothing in the trash from ${quote(path)}.`, 'trash_item_not_found');
  }

  /** Removes an item permanently. @returns its original path; @throws HttpProblem 404 */
  remove(id: string): Promise<StoragePath> {
    return this.#options.lock.run([hiddenFolder(id)], async () => {
      const item = await this.#require(id);
      await this.#options.trash.remove(item);
      return item.path;
    });
  }

  /** Removes everything that is in the trash now. @returns the number of items */
  async empty(): Promise<number> {
    let after: TrashPosition | undefined;
    let removed = 0;
    for (;;) {
      const items = await this.#options.catalog.trash.page(BATCH, after);
      for (const item of items) removed += await this.#removeIfThere(item);
      const last = items.at(-1);
      if (!last) return removed;
      after = positionIn(last);
    }
  }

  /** Removes expired items. */
  async sweep(now: number, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const items = await this.#options.catalog.trash.expired(now, BATCH);
      if (items.length === 0) return;
      for (const item of items) {
        if (signal?.aborted) return;
        await this.#removeIfThere(item);
      }
    }
  }

  #removeIfThere({ id }: TrashItem): Promise<number> {
    const { lock, catalog, trash } = this.#options;
    return lock.run([hiddenFolder(id)], async () => {
      const item = await catalog.trash.find(id);
      if (item) await trash.remove(item);
      return item ? 1 : 0;
    });
  }

  async #require(id: string): Promise<TrashItem> {
    // PostgreSQL rejects text with NUL.
    const item = id.includes('\0') ? undefined : await this.#options.catalog.trash.find(id);
    if (!item) throw noItem(id);
    return item;
  }
}

const noItem = (id: string) =>
  notFound(`There is nothing in the trash with the id ${quote(id)}.`, 'trash_item_not_found');

const cursorForm = z.tuple([z.string(), z.string(), z.union([z.int(), z.string().regex(/^[^\0]*$/)]), z.string()]);

function cursorOf(item: TrashItem, order: TrashOrder): string {
  const { id, value } = positionIn(item, order);
  return writeCursor([order.by, order.direction, value, id]);
}

function positionOf(cursor: string, { by, direction }: TrashOrder): TrashPosition {
  const [forSort, forDirection, value, id] = readCursor(cursor, cursorForm);
  assertOrder([forSort, forDirection], { sort: by, order: direction });
  if ((typeof value === 'string') !== (by === 'path')) throw wrongCursor(cursor);
  return { id, value };
}
