import type { Cluster } from '../cluster/cluster.ts';
import { LATE, within, yieldToEventLoop } from '../concurrency.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { FailureLog, type Log } from '../log.ts';
import { baseName, parentOf, type StoragePath } from '../path.ts';
import {
  type BlobStat,
  type BlobStore,
  type BlobWrites,
  type MoveRecovery,
  StorageUnavailable,
} from '../storage/blob-store.ts';
import type { CatalogStore } from './catalog-store.ts';
import { isTombstone } from './hidden.ts';
import type { KnownFile } from './records.ts';
import { Corrections } from './sync/corrections.ts';
import { FolderFingerprints } from './sync/folder-fingerprints.ts';
import { IndexState } from './sync/index-state.ts';
import { findLeaving } from './sync/leaving.ts';
import { applyArrivals } from './sync/moved-files.ts';
import { catalogueChanges } from './sync/own-changes.ts';
import { Reconciliation } from './sync/reconciliation.ts';
import { Recovery, type RecoveryTable } from './sync/recovery.ts';
import { Repair } from './sync/repair.ts';
import { Revalidation, type Whereabouts } from './sync/revalidation.ts';
import { Scans } from './sync/scans.ts';
import { sweepTombstones } from './sync/vanished.ts';

export interface CatalogServiceOptions {
  database: Pick<OpenDatabase, 'db' | 'dialect' | 'whenAvailable'>;
  rows: CatalogStore;
  /** Store of the originals, without wrappers. */
  store: BlobStore & MoveRecovery;
  cluster: Pick<Cluster, 'node' | 'isAlive' | 'lock'>;
  log: Log;
  /** Interval of reconciliation, in ms; 0 disables it, also at the start. */
  scanMs: number;
  /** Recovery of intents that are not changes of originals. */
  recoveries?: Partial<RecoveryTable> | undefined;
}

const SEARCHABLE_BATCH = 50;
/** Delay of the index of new files, in ms: many uploads share one step. */
const SEARCHABLE_DELAY_MS = 200;

/** Retention period of the metadata of a vanished file, in ms. */
const TOMBSTONE_MS = 30 * 24 * 60 * 60 * 1000;

/** Limit, in ms, that a listing waits for pending rows: another process may hold the database lock. */
const REVALIDATE_MS = 5000;

/** Maintains the rows: they follow the changes of this process, and detect those of other programs and nodes. */
export class CatalogService {
  readonly rows: CatalogStore;
  readonly reconciliation: Reconciliation;
  readonly #options: CatalogServiceOptions;
  readonly #fingerprints: FolderFingerprints;
  readonly #scans: Scans;
  readonly #revalidation: Revalidation;
  readonly #repair: Repair;
  readonly #recovery: Recovery;
  readonly #index: IndexState;
  readonly #corrections = new Corrections();
  readonly #closing = new AbortController();
  readonly #rowsUse: FailureLog;
  #searchableTimer: NodeJS.Timeout | undefined;

  constructor(options: CatalogServiceOptions) {
    const { rows, store, cluster, database } = options;
    const { lock, node } = cluster;
    this.#options = options;
    this.rows = rows;
    this.#rowsUse = new FailureLog(options.log, {
      fails: 'the catalog is unavailable: folders are listed from the storage',
      works: 'the catalog is available again',
    });
    this.#fingerprints = new FolderFingerprints(store, rows);
    this.#index = new IndexState(database);
    this.#scans = new Scans({
      rows,
      store,
      lock,
      signal: this.#closing.signal,
      onTouched: (touched) => this.#checkAgain(touched),
      onUndecided: () => this.reconciliation.want(),
    });
    const { signal } = this.#closing;
    this.#repair = new Repair({
      rows,
      store,
      lock,
      signal,
      scanFolder: (folder, recovered) => this.#scans.read(folder, true, { recovered }),
    });
    this.#recovery = new Recovery({
      intents: rows.intents,
      table: { ...options.recoveries, ...this.#repair.table },
      corrections: this.#corrections,
      signal,
      node,
      isAlive: (name) => cluster.isAlive(name),
    });
    this.#revalidation = new Revalidation({ rows, store, fingerprints: this.#fingerprints, scans: this.#scans });
    const isShared = database.dialect === 'postgres';
    this.reconciliation = new Reconciliation({ ...options, scans: this.#scans, index: this.#index, isShared, signal });
  }

  /** Returns the writes of the store, which also update the rows. */
  changes(): BlobWrites {
    const { rows, store, cluster } = this.#options;
    return catalogueChanges({
      rows,
      store,
      fingerprints: this.#fingerprints,
      node: cluster.node,
      onTouch: (paths, isFolder) => {
        this.#scans.touch(paths, isFolder);
        this.#makeSearchableSoon();
      },
      onUnknown: (intent) => this.recover(intent),
      onUnwritten: (path, isFolder) => this.#noteRemoved(path, isFolder),
      onClaimed: (paths, isFolder) => this.#checkAgain(new Map(paths.map((path) => [path, isFolder]))),
    });
  }

  /** Completes moves of ended processes that left a file under two names. Must run before the first request. */
  async completeMoves(): Promise<void> {
    if (!this.#options.store.completeMove) return;
    // `start` retries what cannot be recovered now.
    await this.#options.database.whenAvailable(() => this.#recovery.startWith(['move']).catch(() => undefined));
  }

  /** Recovers an unfinished change of this process, in the background. */
  recover(intent: string): void {
    this.#recovery.add(intent);
  }

  /** Recovers changes of ended processes, and starts reconciliation. */
  async start(): Promise<void> {
    await this.#options.database.whenAvailable(async () => {
      this.reconciliation.start(this.#recovery.start());
      this.#corrections.add('searchable', () => this.#makeSearchable());
      this.#corrections.add('kinds', () => this.rows.followTypes(this.#closing.signal));
    });
  }

  /**
   * Updates the rows of a folder where others have added or removed files; with `isDeep`, also of all folders below it.
   * Before the first index is complete, and while rows cannot be written, only the store is current.
   */
  async revalidate(folder: StoragePath, { isDeep = false } = {}): Promise<Whereabouts> {
    const revalidating = this.#revalidate(folder, isDeep);
    try {
      const found = await within(revalidating, REVALIDATE_MS);
      if (found === LATE) revalidating.catch(() => undefined);
      else this.#rowsUse.succeeded();
      return found === LATE ? 'store' : found;
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      this.#rowsUse.failed(error);
      return 'store';
    }
  }

  async #revalidate(folder: StoragePath, isDeep: boolean): Promise<Whereabouts> {
    if (!(await this.#index.isComplete())) return 'store';
    return isDeep ? this.#revalidation.revalidateBelow(folder) : this.#revalidation.revalidate(folder);
  }

  /** Called after another node, or a move into or out of the trash, changed a file or everything in a folder. */
  followChange(path: StoragePath, isFolder: boolean): void {
    this.#scans.touch([path], isFolder);
  }

  /** Called when a file was found to differ from its row. The update runs in the background. */
  notice(path: StoragePath, stat: BlobStat | undefined): void {
    this.#corrections.add(`notice ${path}`, () => this.#compare(path, stat));
  }

  /** Removes expired tombstones. @param now milliseconds since 1970 */
  sweep(now: number, signal: AbortSignal): Promise<void> {
    return sweepTombstones(this.rows, now - TOMBSTONE_MS, signal);
  }

  /** Invalidates the index: only the store is used until everything has been reconciled. */
  invalidateIndex(): Promise<void> {
    return this.#index.invalidate();
  }

  /** Returns the progress of the first index; undefined while unknown. */
  progress(): { state: 'indexing' | 'ready'; files: number } | undefined {
    const { isKnownComplete } = this.#index;
    if (isKnownComplete === undefined) return undefined;
    return { state: isKnownComplete ? 'ready' : 'indexing', files: this.reconciliation.files };
  }

  /** Resolves when no comparison or correction runs in the background. */
  async settled(): Promise<void> {
    await this.reconciliation.settled();
    await this.#corrections.idle();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#searchableTimer);
    this.#recovery.close();
    await Promise.all([this.#corrections.close(), this.reconciliation.close()]);
  }

  async #compare(path: StoragePath, stat: BlobStat | undefined): Promise<void> {
    const { rows, store } = this.#options;
    const [row] = await rows.files.named(parentOf(path), [baseName(path)]);
    if (!row && !stat) return;
    const isOther = row?.fileId && stat?.fileId && row.fileId !== stat.fileId;
    if (row?.hasWords && (!stat || isOther)) return this.reconciliation.want();
    if (row && !stat) {
      if (!(await findLeaving(rows))(path)) await rows.files.removeUnchanged([row]);
      return;
    }
    const now = (await store.folderFingerprint(parentOf(path))) === null ? undefined : await store.stat(path);
    if (!now) return;
    const entry = { path, ...now };
    const source = row ? undefined : await this.#findTombstone(now);
    if (source) await applyArrivals([{ entry, source }], { rows, store });
    else await rows.files.put([entry]);
  }

  async #findTombstone({ fileId }: BlobStat): Promise<KnownFile | undefined> {
    const found = fileId === undefined ? [] : await this.rows.files.identified([fileId]);
    return found.find(({ path }) => isTombstone(path));
  }

  #makeSearchableSoon(): void {
    const { dialect } = this.#options.database;
    if (dialect !== 'sqlite' || this.#searchableTimer || this.#closing.signal.aborted) return;
    this.#searchableTimer = setTimeout(() => {
      this.#searchableTimer = undefined;
      this.#corrections.add('searchable', () => this.#makeSearchable());
    }, SEARCHABLE_DELAY_MS).unref();
  }

  /** Indexes the terms of new files, and of rows that were copied from another database. */
  async #makeSearchable(): Promise<void> {
    let made = SEARCHABLE_BATCH;
    while (made === SEARCHABLE_BATCH && !this.#closing.signal.aborted) {
      made = await this.rows.makeSearchable(SEARCHABLE_BATCH);
      await yieldToEventLoop();
    }
  }

  /** Handles a removal of which no record could be written. */
  #noteRemoved(path: StoragePath, isFolder: boolean): void {
    this.#checkAgain(new Map([[path, isFolder]]));
    const event = { type: 'file.deleted', path, isFolder } as const;
    this.#corrections.add(`event ${path}`, () => this.rows.events.add([event]));
  }

  #checkAgain(touched: ReadonlyMap<StoragePath, boolean>): void {
    for (const [path, isFolder] of touched)
      this.#corrections.add(`${isFolder ? 'folder' : 'file'} ${path}`, () =>
        isFolder ? this.#repair.folder(path) : this.#repair.file(path),
      );
  }
}
