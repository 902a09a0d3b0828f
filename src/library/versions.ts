import { randomUUID } from 'node:crypto';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import type { AssetVersion } from '../catalog/kept-rows.ts';
import type { PathLock } from '../cluster/cluster.ts';
import { badRequest, HttpProblem, notFound } from '../errors.ts';
import { parentOf, quote, type StoragePath } from '../path.ts';
import type { Attic } from '../storage/attic.ts';
import { BlobNotFound, type BlobStat, type BlobStore } from '../storage/blob-store.ts';
import type { Cleaner } from './cleanup.ts';

export interface VersionsOptions {
  catalog: CatalogStore;
  attic: Attic;
  store: BlobStore;
  cleaner: Cleaner;
  lock: PathLock;
  /** How many versions of a file are kept, and for how long in milliseconds. */
  keep: number;
  keepMs: number;
}

/** How many versions are removed at a time. */
const BATCH = 100;

/** New bytes under the path of a file, and the bytes that were there before. */
export class Versions {
  readonly #options: VersionsOptions;

  constructor(options: VersionsOptions) {
    this.#options = options;
  }

  /**
   * Puts a local temporary file in the place of a file, for all readers in one step. The bytes before become a version.
   * @param isExpected whether the file that is there is the one that is to be replaced
   * @throws HttpProblem 400 for a folder, 404, 412
   */
  replace(path: StoragePath, file: string, isExpected: (stat: BlobStat) => boolean): Promise<BlobStat> {
    return this.#options.lock.run([path], async () => {
      const before = await this.stat(path);
      if (!isExpected(before)) {
        const message = `The file is not the one that was expected; its ETag is "${before.etag}".`;
        throw new HttpProblem('precondition_failed', message);
      }
      return this.#replace(path, before, () => this.#options.store.adopt(path, file, { existing: 'replace' }));
    });
  }

  /** What is known of a file. @throws HttpProblem 400 for a folder, 404 */
  async stat(path: StoragePath): Promise<BlobStat> {
    const { store } = this.#options;
    const stat = await store.stat(path);
    if (stat) return stat;
    if (await store.folderExists(path))
      throw badRequest(`Expected a file, but ${quote(path)} is a folder.`, 'is_a_folder');
    throw noFile(path);
  }

  /** The newest first. @throws HttpProblem 400 for a folder, 404 */
  async list(path: StoragePath): Promise<AssetVersion[]> {
    await this.stat(path);
    return this.#options.catalog.versions.of(path);
  }

  /** One version, and how its bytes are read. @throws HttpProblem 404 */
  async open(path: StoragePath, id: string) {
    const { attic } = this.#options;
    const version = await this.#find(path, id);
    return { ...version, open: (options?: Parameters<Attic['open']>[1]) => attic.open(id, options) };
  }

  /** Puts the bytes of a version in the place of the present ones, which become a version in turn. @throws HttpProblem 404 */
  restore(path: StoragePath, id: string): Promise<BlobStat> {
    const { attic, store, lock } = this.#options;
    return lock.run([path], async () => {
      const before = await this.stat(path);
      await this.#find(path, id);
      const restored = await this.#replace(path, before, async () => store.write(path, await attic.open(id)), id);
      await this.#drop([id]);
      return restored;
    });
  }

  /** Removes a version for good. @throws HttpProblem 404 */
  remove(path: StoragePath, id: string): Promise<void> {
    return this.#options.lock.run([path], async () => {
      await this.stat(path);
      await this.#find(path, id);
      await this.#drop([id]);
    });
  }

  /** The ids of everything in the attic, versions and trash alike. */
  kept(): AsyncIterable<string> {
    return this.#options.attic.walk();
  }

  /** Runs the final removal of a file or of a folder. The versions of what it removes go as well. */
  async removing<T>(path: StoragePath, remove: () => Promise<T>): Promise<T> {
    const ids = await this.#options.catalog.versions.within(path);
    const removed = await remove();
    await this.#drop(ids);
    return removed;
  }

  /** Removes versions that are too old, or whose file is gone. */
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
    try {
      const after = await change();
      await cleaner.file(path);
      await this.#prune(path, restored);
      return after;
    } catch (error) {
      // Where the change was made after all, the version is one more with the present bytes at worst.
      if (id !== undefined && (await this.#isUnchanged(path, before))) await this.#drop([id]);
      throw error;
    }
  }

  /** The bytes are kept before the row is written, and the row before others take their place: nothing is lost at any moment. What lies
   * behind a link has no row, so nothing would know of its versions. */
  async #keepPresent(path: StoragePath): Promise<string | undefined> {
    const { catalog, attic, store, keep } = this.#options;
    if (keep === 0 || (await store.folderMark(parentOf(path))) === null) return undefined;
    const id = randomUUID();
    try {
      const stat = await attic.keepCopy(path, id);
      await catalog.inOneStep(async (rows) => {
        const [assetId = 0] = await rows.files.put([{ ...stat, path }]);
        await rows.versions.add(assetId, { id, size: stat.size, etag: stat.etag, createdAt: Date.now() });
      });
      return id;
    } catch (error) {
      await attic.remove(id).catch(() => undefined);
      throw error instanceof BlobNotFound ? noFile(path) : error;
    }
  }

  async #prune(path: StoragePath, restored: string | undefined): Promise<void> {
    const { catalog, keep, keepMs } = this.#options;
    const versions = (await catalog.versions.of(path)).filter(({ id }) => id !== restored);
    const due = versions.filter(({ createdAt }, index) => index >= keep || createdAt < Date.now() - keepMs);
    await this.#drop(due.map(({ id }) => id));
  }

  async #isUnchanged(path: StoragePath, { etag }: BlobStat): Promise<boolean> {
    const present = await this.#options.store.stat(path).catch(() => undefined);
    return present?.etag === etag;
  }

  /** The bytes go first: a row without bytes is found again. */
  async #drop(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.#options.attic.remove(id);
    if (ids.length > 0) await this.#options.catalog.versions.remove(ids);
  }

  async #find(path: StoragePath, id: string): Promise<AssetVersion> {
    const versions = await this.#options.catalog.versions.of(path);
    const version = versions.find((one) => one.id === id);
    if (!version) throw notFound(`There is no version ${quote(id)} of ${quote(path)}.`, 'version_not_found');
    return version;
  }
}

function noFile(path: StoragePath) {
  return notFound(`There is no file ${quote(path)}.`, 'file_not_found', 'Not found');
}
