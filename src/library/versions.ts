import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { SpaceCatalog } from '../catalog/catalog-store.ts';
import { hiddenFolder } from '../catalog/hidden.ts';
import type { AssetVersion } from '../catalog/retained-rows.ts';
import type { VersionRecovery } from '../catalog/version-recovery.ts';
import type { PathLock } from '../cluster/cluster.ts';
import { HttpProblem, notFound } from '../errors.ts';
import { parentOf, quote, type StoragePath } from '../path.ts';
import { BlobNotFound, type BlobStat, type BlobStore, hasDoneNothing } from '../storage/blob-store.ts';
import type { RetentionStore } from '../storage/retention-store.ts';
import type { Cleaner } from './cleanup.ts';
import { noFile, notAFile } from './problems.ts';

/**
 * Runs a change that adds bytes at a path, if the quota of its space has room for them.
 * @param bytes measures them, where a quota applies
 * @throws HttpProblem 507; errors of the change
 */
export type AddBytes = <T>(path: StoragePath, bytes: () => Promise<number>, change: () => Promise<T>) => Promise<T>;

export interface VersionsOptions {
  catalog: SpaceCatalog;
  retention: RetentionStore;
  store: BlobStore;
  cleaner: Pick<Cleaner, 'file'>;
  lock: PathLock;
  /** Absent: without quotas. */
  adding?: AddBytes | undefined;
  recovery: Pick<VersionRecovery, 'recover'>;
  /** Name of this process. */
  node: string;
  /** Called with the intent of a copy that failed and could not be recovered immediately. */
  onUnfinished(intent: string): void;
  /** Maximum number of versions of a file, and their retention period in ms. */
  keep: number;
  keepMs: number;
}

/** Number of versions read per query, to be removed one after the other. */
const BATCH = 100;

/** Replaces the bytes of files, and manages their earlier bytes. */
export class Versions {
  readonly #options: VersionsOptions;

  constructor(options: VersionsOptions) {
    this.#options = options;
  }

  /**
   * Replaces a file by a local temporary file, atomically for all readers. The earlier bytes become a version.
   * @param isExpected true if the existing file is the one to replace
   * @throws HttpProblem 400 for a folder, 404, 412, 507
   */
  replace(path: StoragePath, file: string, isExpected: (stat: BlobStat) => boolean): Promise<BlobStat> {
    return this.#options.lock.run([path], async () => {
      const before = await this.stat(path);
      if (!isExpected(before)) {
        const message = `The file is not the one that was expected; its ETag is "${before.etag}".`;
        throw new HttpProblem('precondition_failed', message);
      }
      const change = () => this.#options.store.adopt(path, file, { existing: 'replace' });
      const replace = () => this.#replace(path, before, change);
      const growth = async () => (await stat(file)).size - (await this.#freedBytes(path, before));
      // Begins before the present bytes are copied, so that replacements in parallel know of each other.
      return this.#options.adding ? this.#options.adding(path, growth, replace) : replace();
    });
  }

  /** Returns the state of a file in the store. @throws HttpProblem 400 for a folder, 404 */
  async stat(path: StoragePath): Promise<BlobStat> {
    const { store } = this.#options;
    const stat = await store.stat(path);
    if (stat) return stat;
    throw await notAFile(store, path);
  }

  /** Returns the versions, newest first. @throws HttpProblem 400 for a folder, 404 */
  async list(path: StoragePath): Promise<AssetVersion[]> {
    await this.stat(path);
    return this.#options.catalog.versions.of(path);
  }

  /** Returns one version with a reader of its bytes. @throws HttpProblem 404 */
  async open(path: StoragePath, id: string) {
    const { retention } = this.#options;
    const version = await this.#find(path, id);
    return { ...version, open: (options?: Parameters<RetentionStore['open']>[1]) => retention.open(id, options) };
  }

  /** Restores the bytes of a version; the current ones become a version. @throws HttpProblem 404 */
  restore(path: StoragePath, id: string): Promise<BlobStat> {
    const { retention, store, lock } = this.#options;
    return lock.run([path], async () => {
      const before = await this.stat(path);
      await this.#find(path, id);
      const restored = await this.#replace(path, before, async () => store.write(path, await retention.open(id)), id);
      await this.#drop([id]);
      return restored;
    });
  }

  /** Removes a version permanently. @throws HttpProblem 404 */
  remove(path: StoragePath, id: string): Promise<void> {
    return this.#options.lock.run([path], async () => {
      await this.stat(path);
      await this.#find(path, id);
      await this.#drop([id]);
    });
  }

  /** Returns the ids of everything in the retention store: versions and trash. */
  retained(): AsyncIterable<string> {
    return this.#options.retention.walk();
  }

  /** Runs the permanent removal of a file or folder, and removes the versions of what it removes. */
  async removing<T>(path: StoragePath, remove: () => Promise<T>): Promise<T> {
    const ids = await this.#options.catalog.versions.within(path);
    const removed = await remove();
    await this.#drop(ids);
    return removed;
  }

  /** Removes versions that are expired, or whose file was deleted. */
  async sweep(now: number, signal?: AbortSignal): Promise<void> {
    const { catalog, keepMs } = this.#options;
    while (!signal?.aborted) {
      const ids = await catalog.versions.due(now - keepMs, BATCH);
      if (ids.length === 0) return;
      await this.#drop(ids);
    }
  }

  async #replace(
    path: StoragePath,
    before: BlobStat,
    change: () => Promise<BlobStat>,
    restored?: string,
  ): Promise<BlobStat> {
    const { cleaner } = this.#options;
    const id = await this.#keepPresent(path);
    let after: BlobStat;
    try {
      after = await change();
    } catch (error) {
      if (id !== undefined) await this.#dropNeedless(path, before, { id, error });
      throw error;
    }
    await cleaner.file(path);
    await this.#prune(path, restored);
    return after;
  }

  /**
   * Drops the version of a replacement that was refused. One without an answer may still be carried out, so its version
   * stays, instead of older ones with the same bytes.
   */
  async #dropNeedless(path: StoragePath, before: BlobStat, { id, error }: { id: string; error: unknown }) {
    if (!hasDoneNothing(error)) return this.#drop(repeated(await this.#options.catalog.versions.of(path)));
    if (await this.#isUnchanged(path, before)) await this.#drop([id]);
  }

  /** Returns the bytes that a replacement of a file frees: of the file itself without versions, or of pruned ones. */
  async #freedBytes(path: StoragePath, { size }: BlobStat): Promise<number> {
    if (!(await this.#hasVersions(path))) return size;
    const { catalog, keep, keepMs } = this.#options;
    // The present bytes will be the newest version.
    const pruned = dueOf(await catalog.versions.of(path), keep - 1, Date.now() - keepMs);
    return pruned.reduce((sum, version) => sum + version.size, 0);
  }

  /** False also for files behind a linked folder: they have no row, so their versions could not be found. */
  async #hasVersions(path: StoragePath): Promise<boolean> {
    const { store, keep } = this.#options;
    return keep > 0 && (await store.folderFingerprint(parentOf(path))) !== null;
  }

  /**
   * Stores the present bytes as a version, and returns its id. Bytes are stored before their row, and the row before
   * the replacement: nothing is lost at any moment. An intent covers the bytes until they have a row. Undefined where
   * no version is stored.
   */
  async #keepPresent(path: StoragePath): Promise<string | undefined> {
    const { catalog, retention, node, recovery, onUnfinished } = this.#options;
    if (!(await this.#hasVersions(path))) return undefined;
    const id = randomUUID();
    const change = { kind: 'version', from: path, to: hiddenFolder(id), node } as const;
    const intent = await catalog.intents.begin(change);
    try {
      const stat = await retention.keepCopy(path, id);
      await catalog.inOneStep(async (rows) => {
        const [assetId = 0] = await rows.files.put([{ ...stat, path }]);
        await rows.versions.add(assetId, { id, size: stat.size, etag: stat.etag, createdAt: Date.now() });
        await rows.intents.finish({ id: intent, node });
      });
      return id;
    } catch (error) {
      await recovery.recover({ ...change, id: intent, createdAt: Date.now() }).catch(() => onUnfinished(intent));
      throw error instanceof BlobNotFound ? noFile(path) : error;
    }
  }

  async #prune(path: StoragePath, restored: string | undefined): Promise<void> {
    const { catalog, keep, keepMs } = this.#options;
    const versions = (await catalog.versions.of(path)).filter(({ id }) => id !== restored);
    await this.#drop(dueOf(versions, keep, Date.now() - keepMs).map(({ id }) => id));
  }

  async #isUnchanged(path: StoragePath, { etag }: BlobStat): Promise<boolean> {
    const present = await this.#options.store.stat(path).catch(() => undefined);
    return present?.etag === etag;
  }

  /** Removes versions, their bytes first: a row without bytes is found again. */
  async #drop(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#options.retention.remove(id);
    if (ids.length > 0) await this.#options.catalog.versions.remove(ids);
  }

  async #find(path: StoragePath, id: string): Promise<AssetVersion> {
    const versions = await this.#options.catalog.versions.of(path);
    const version = versions.find((one) => one.id === id);
    if (!version) throw notFound(`There is no version ${quote(id)} of ${quote(path)}.`, 'version_not_found');
    return version;
  }
}

/** Returns the versions beyond a number, and those from before a time. @param versions newest first */
function dueOf(versions: readonly AssetVersion[], keep: number, before: number): AssetVersion[] {
  return versions.filter(({ createdAt }, index) => index >= keep || createdAt < before);
}

/** Returns the versions whose bytes the next newer one has too. @param versions newest first */
function repeated(versions: readonly AssetVersion[]): string[] {
  return versions.filter(({ etag }, index) => versions[index - 1]?.etag === etag).map(({ id }) => id);
}
