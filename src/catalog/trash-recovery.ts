import type { PathLock } from '../cluster/cluster.ts';
import { mediaTypeOf } from '../media.ts';
import { areOnOneBranch, parentOf, type StoragePath } from '../path.ts';
import { type BlobStore, missing } from '../storage/blob-store.ts';
import { batchesOf } from '../storage/in-parallel.ts';
import type { RetainedItems, RetentionMoves } from '../storage/retention-store.ts';
import type { Usage } from '../storage/usage.ts';
import type { CatalogStore } from './catalog-store.ts';
import { hiddenFolder, hiddenId, hiddenPath } from './hidden.ts';
import { eventOfLeaving, followFiles, type MovingFile, restoredEvents, trashedEvent } from './moving-files.ts';
import type { Intent } from './records.ts';
import type { TrashItem } from './retained-rows.ts';
import type { Recover } from './sync/recovery.ts';
import { addStoredParents, followFolders, isStoredFolder, storedFolders } from './sync/stored-folders.ts';

export interface TrashRecoveryOptions {
  catalog: CatalogStore;
  retention: RetainedItems;
  /** Completes moves into the trash, with the side effects of every change of an original. */
  moves: Pick<RetentionMoves, 'completeKeep'>;
  store: Pick<BlobStore, 'stat' | 'folderExists' | 'folderFingerprint' | 'walk' | 'scan'>;
  lock: PathLock;
  /** Retention period of an item, in ms. */
  keepMs: number;
}

/** Number of concurrent `stat` calls. One after another they take minutes on a bucket, under the folder's lock. */
const STAT_CONCURRENCY = 16;

/**
 * Makes rows agree with the bytes after each move into the trash and back, also after one that did not complete. A
 * process killed halfway leaves the file, or the item, or both.
 */
export class TrashRecovery {
  readonly #options: TrashRecoveryOptions;
  /** Moves of this process that failed and are not recovered yet, by id. */
  readonly #unfinished = new Map<string, Intent>();
  /** Recovery for each kind of move. */
  readonly table: Readonly<Record<'trash' | 'restore', Recover>>;

  constructor(options: TrashRecoveryOptions) {
    this.#options = options;
    const locked = (intent: Intent) => this.#recoverLocked(intent);
    this.table = { trash: locked, restore: locked };
  }

  /**
   * Completes or undoes a move. The caller holds its paths.
   * @returns the item of a move into the trash that is complete
   */
  async recover(intent: Intent): Promise<TrashItem | undefined> {
    const item = intent.kind === 'trash' ? await this.#recoverTrash(intent) : undefined;
    if (intent.kind === 'restore') await this.#recoverRestore(intent);
    this.#unfinished.delete(intent.id);
    return item;
  }

  /** As `recover`, unless another change or another node has recovered it. */
  async recoverAgain(intent: Intent): Promise<void> {
    const present = await this.#options.catalog.intents.find(intent.id);
    if (present?.node === intent.node) await this.recover(intent);
    else this.#unfinished.delete(intent.id);
  }

  /** Notes a move of this process that failed and could not be recovered immediately. */
  noteUnfinished(intent: Intent): void {
    this.#unfinished.set(intent.id, intent);
  }

  /** Returns the unfinished moves of this process at, above or below these paths, oldest first. */
  unfinishedAt(paths: readonly StoragePath[]): Intent[] {
    return [...this.#unfinished.values()].filter(({ from, to }) =>
      paths.some((path) => areOnOneBranch(from, path) || (to !== null && areOnOneBranch(to, path))),
    );
  }

  /** Moves the rows of a trashed file or folder into the trash. @returns the item @throws BlobNotFound */
  async settleTrashed(intent: Intent, id: string): Promise<TrashItem> {
    const { from, createdAt } = intent;
    const { catalog, retention, store, keepMs } = this.#options;
    const to = hiddenPath(id, from);
    const retained = await retention.stat(id);
    if (!retained) throw missing(from);
    const usage = await this.#usageOf(id);
    const kind = retained.isFolder ? 'folder' : mediaTypeOf(from).kind;
    const item: TrashItem = { id, path: from, kind, ...usage, deletedAt: createdAt, expiresAt: createdAt + keepMs };
    const exists = retained.isFolder ? await store.folderExists(from) : Boolean(await store.stat(from));
    const isInPart = exists && retained.isFolder;
    if (exists) await catalog.intents.confirm(intent);
    // Before the events of its files: a subscriber may read the trash.
    if (isInPart) await catalog.trash.put(item);
    if (exists) await followFiles(catalog, this.#filesThatLeft(id, from, to), isInPart ? eventOfLeaving : () => []);
    if (isInPart) await this.#followHalves(from, id, to);
    await catalog.inOneStep(async (rows) => {
      await rows.trash.put(item);
      if (!exists && retained.isFolder) await rows.folders.move(from, to);
      if (!exists && !retained.isFolder) await rows.files.move(from, { ...retained, path: to });
      if (!isInPart) await rows.events.add([trashedEvent(from, retained.isFolder)]);
      await rows.intents.finish(intent);
    });
    return item;
  }

  /** Finishes a refused restoration. Parents that it has created stay. */
  async settleRefused(intent: Intent): Promise<void> {
    const { catalog, store } = this.#options;
    await addStoredParents(intent.to ?? intent.from, store, catalog);
    await catalog.intents.finish(intent);
  }

  /** Restores the rows of a restored item. */
  async settleRestored(intent: Intent, item: TrashItem): Promise<void> {
    const { catalog, retention } = this.#options;
    const to = intent.to ?? item.path;
    const { id } = item;
    const retained = await retention.stat(id);
    if (item.kind !== 'folder') return this.#settleRestoredFile(intent, item, to);
    if (retained) return this.#settleHalf(intent, item, to);
    const isPlain = await this.#isPlain(to);
    await catalog.inOneStep(async (rows) => {
      if (isPlain) {
        await rows.folders.move(intent.from, to);
        await rows.folders.setFingerprint(to, null);
      }
      await rows.folders.remove(hiddenFolder(id));
      await rows.trash.remove(id);
      await rows.events.add([{ type: 'file.stored', path: to, isFolder: true, trash: 'out' }]);
      await rows.intents.finish(intent);
    });
  }

  async #recoverLocked(intent: Intent): Promise<void> {
    await this.#options.lock.run([intent.from, intent.to ?? intent.from], () => this.recoverAgain(intent));
  }

  async #recoverRestore(intent: Intent): Promise<void> {
    const { trash } = this.#options.catalog;
    const id = hiddenId(intent.from);
    const item = id === undefined ? undefined : await trash.find(id);
    await (item ? this.settleRestored(intent, item) : this.settleRefused(intent));
  }

  /** Completes the move if bytes were retained: a removal of the original that timed out may still be carried out. */
  async #recoverTrash(intent: Intent): Promise<TrashItem | undefined> {
    const { catalog, retention, store, moves } = this.#options;
    const { from, to } = intent;
    const id = hiddenId(to ?? from);
    const retained = id === undefined ? undefined : await retention.stat(id);
    if (id === undefined || !retained) {
      await catalog.intents.finish(intent);
      return undefined;
    }
    await catalog.intents.confirm(intent);
    if (!retained.isFolder) await moves.completeKeep(from, id);
    const item = await this.settleTrashed(intent, id);
    const isInPart = retained.isFolder && (await store.folderExists(from));
    return isInPart ? undefined : item;
  }

  /** Lists the files of an item. Some may still be at `from`: copies in progress, or new files. */
  async *#filesThatLeft(id: string, from: StoragePath, to: StoragePath): AsyncGenerator<MovingFile> {
    const { retention, store } = this.#options;
    for await (const batch of batchesOf(retention.files(id), STAT_CONCURRENCY)) {
      yield* await Promise.all(
        batch.map(async (entry) => {
          const old = below(from, entry.path);
          const isLeft = Boolean(await store.stat(old));
          return { from: old, to: { ...entry, path: below(to, entry.path) }, isLeft };
        }),
      );
    }
  }

  async #settleRestoredFile(intent: Intent, { id }: TrashItem, to: StoragePath): Promise<void> {
    const { catalog, retention, store } = this.#options;
    const retained = await retention.stat(id);
    const file = await store.stat(to);
    const isRestored = !retained || (await retention.isRestored(id, to));
    if (isRestored && retained) await retention.remove(id);
    const isPlain = await this.#isPlain(to);
    if (!isRestored) await addStoredParents(to, store, catalog);
    await catalog.inOneStep(async (rows) => {
      if (isRestored) {
        if (file && isPlain) await rows.files.move(intent.from, { ...file, path: to });
        await rows.folders.remove(hiddenFolder(id));
        await rows.trash.remove(id);
        if (file) await rows.events.add(restoredEvents({ to: { ...file, path: to } }));
      } else if (file && isPlain) await rows.files.put([{ ...file, path: to }]);
      await rows.intents.finish(intent);
    });
  }

  /** Settles a partly restored folder. Restored files have their metadata. */
  async #settleHalf(intent: Intent, item: TrashItem, to: StoragePath): Promise<void> {
    const { catalog } = this.#options;
    await catalog.intents.confirm(intent);
    const isPlain = await this.#isPlain(to);
    if (isPlain) await followFiles(catalog, this.#filesThatCameBack(intent.from, item.id, to), restoredEvents);
    await this.#followHalves(to, item.id, intent.from);
    const usage = await this.#usageOf(item.id);
    await catalog.inOneStep(async (rows) => {
      await rows.trash.put({ ...item, ...usage });
      await rows.intents.finish(intent);
    });
  }

  /** Makes the rows of all folders correct where one has moved in part. @param hidden the path of the item's rows */
  async #followHalves(original: StoragePath, id: string, hidden: StoragePath): Promise<void> {
    const { catalog, retention, store } = this.#options;
    if (await isStoredFolder(original, store))
      await followFolders(original, await storedFolders(original, store), catalog);
    else await addStoredParents(original, store, catalog);
    const retained = (await retention.folders(id)).map((folder) => below(hidden, folder));
    await followFolders(hidden, new Set([hidden, ...retained]), catalog);
  }

  /** Lists restored files, without those that other clients added meanwhile. */
  async *#filesThatCameBack(hidden: StoragePath, id: string, to: StoragePath): AsyncGenerator<MovingFile> {
    const { catalog, retention, store } = this.#options;
    const retained = new Map<StoragePath, number>();
    for await (const { path, size } of retention.files(id)) retained.set(path, size);
    for await (const entry of store.walk(to)) {
      const name = entry.path.slice(to.length + 1) as StoragePath;
      const from = below(hidden, name);
      // A copy may have another etag than its source.
      const isOurs = (retained.get(name) ?? entry.size) === entry.size && (await catalog.files.find(from));
      if (isOurs) yield { from, to: entry, isLeft: false };
    }
  }

  /** True if the path is not behind a link: symlinked folders are not catalogued. */
  async #isPlain(path: StoragePath): Promise<boolean> {
    return (await this.#options.store.folderFingerprint(parentOf(path))) !== null;
  }

  async #usageOf(id: string): Promise<Usage> {
    const usage = { size: 0, fileCount: 0 };
    for await (const { size } of this.#options.retention.files(id)) {
      usage.size += size;
      usage.fileCount++;
    }
    return usage;
  }
}

const below = (folder: StoragePath, path: string) => (path === '' ? folder : `${folder}/${path}`) as StoragePath;
