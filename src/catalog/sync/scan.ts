import { yieldToEventLoop } from '../../concurrency.ts';
import { baseName, isWithin, parentOf, ROOT, type StoragePath } from '../../path.ts';
import type { BlobReads, FolderPart } from '../../storage/blob-store.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { isTombstone } from '../hidden.ts';
import type { FileEntry, FolderRecord, KnownFile } from '../records.ts';
import { Bitmap } from './bitmap.ts';
import { type Arrival, applyArrivals } from './moved-files.ts';

export interface ScanOptions {
  rows: CatalogStore;
  store: BlobReads;
  folder: StoragePath;
  /** Includes all folders below it. */
  isDeep: boolean;
  signal?: AbortSignal | undefined;
  onProgress?: ((files: number) => void) | undefined;
}

/** Results of a scan, for the steps after it. */
export interface ScanResult {
  /** Highest row id before the scan. */
  lastId: number;
  /** Rows whose files were seen. */
  seen: Bitmap;
  /** Number of files seen in each folder. */
  folders: Map<StoragePath, number>;
  /** Folders and their state before the scan. */
  known: Map<StoragePath, FolderRecord>;
  fingerprints: Map<StoragePath, string>;
  /** Digests of folders whose files all equal their rows. */
  digests: Map<StoragePath, string>;
  /** Folders whose digest equals that of their correct rows: their files were not listed. */
  unchanged: Set<StoragePath>;
  /** Files without a row, by their bytes, in a store without file identities. */
  appeared: Map<string, FileEntry[]>;
  /** True if a file has the row of another file with metadata: only a scan of everything may decide. */
  isUndecided: boolean;
}

/** True if the scan sees everything, so that moved files can be found. */
export const seesAll = ({ folder, isDeep }: Pick<ScanOptions, 'folder' | 'isDeep'>) => isDeep && folder === ROOT;

/** Time slice in ms, after which it yields to the event loop. */
const TURN_MS = 4;
/** Limit of moved or replaced files that wait for the end of a scan. */
const MAX_WAITING = 50_000;
const MAX_APPEARED = 100_000;

/** Key that identifies a file by its bytes. */
export const bytesOf = ({ etag, size }: { etag: string; size: number }) => `${size} ${etag}`;

/**
 * Compares a folder of the store with its rows, and puts new or changed files. Missing ones are left to
 * `removeVanished`.
 */
export async function scan(options: ScanOptions): Promise<ScanResult> {
  const reading = new Reading(options, await readKnown(options));
  let files = 0;
  let since = performance.now();
  const { folder, isDeep, signal } = options;
  const { known } = reading.result;
  const digests = seesAll(options) ? new Map([...known].map(([path, { digest }]) => [path, digest ?? ''])) : undefined;
  for await (const part of options.store.scan(folder, { isDeep, digests, signal })) {
    signal?.throwIfAborted();
    await reading.compare(part);
    files += part.unchanged ?? part.files.length;
    options.onProgress?.(files);
    if (performance.now() - since < TURN_MS) continue;
    await yieldToEventLoop();
    since = performance.now();
  }
  await reading.settle();
  return reading.result;
}

async function readKnown({ rows, folder, isDeep }: ScanOptions): Promise<ScanResult> {
  const lastId = await rows.files.lastId();
  const own = await rows.folders.find(folder);
  const below = isDeep ? await rows.folders.below(folder) : await rows.folders.children(folder);
  const known = new Map((own ? [own, ...below] : below).map((record) => [record.path, record]));
  return {
    lastId,
    known,
    seen: new Bitmap(),
    folders: new Map(),
    fingerprints: new Map(),
    appeared: new Map(),
    digests: new Map(),
    unchanged: new Set(),
    isUndecided: false,
  };
}

class Reading {
  readonly result: ScanResult;
  readonly #options: ScanOptions;
  #appearedCount = 0;
  #arrivals: Arrival[] = [];
  readonly #different = new Set<StoragePath>();
  #replaced: { entry: FileEntry; row: KnownFile }[] = [];

  constructor(options: ScanOptions, result: ScanResult) {
    this.#options = options;
    this.result = result;
  }

  async compare(part: FolderPart): Promise<void> {
    const { rows } = this.#options;
    for (const folder of [part.folder, ...part.folders]) await this.#see(folder);
    const { folders, fingerprints, seen, digests, unchanged } = this.result;
    folders.set(part.folder, (folders.get(part.folder) ?? 0) + part.files.length);
    if (typeof part.fingerprint === 'string') fingerprints.set(part.folder, part.fingerprint);
    if (part.unchanged !== undefined) {
      unchanged.add(part.folder);
      return;
    }
    if (part.digest !== undefined && !this.#different.has(part.folder)) digests.set(part.folder, part.digest);
    const known = await rows.files.named(
      part.folder,
      part.files.map(({ path }) => baseName(path)),
    );
    const byPath = new Map(known.map((row) => [row.path, row]));
    const changed: FileEntry[] = [];
    const untracked: FileEntry[] = [];
    for (const entry of part.files) {
      const row = byPath.get(entry.path);
      if (row) seen.add(row.id);
      if (row && isSame(row, entry)) continue;
      if (row && !isOther(row, entry)) changed.push(entry);
      else untracked.push(entry);
    }
    if (changed.length + untracked.length > 0) this.#differ(part.folder);
    await this.#meet(untracked, byPath, changed);
    if (changed.length > 0) await this.#put(changed);
    if (this.#arrivals.length + this.#replaced.length > MAX_WAITING) await this.settle();
  }

  /** Applies changes that had to wait until everything was seen. */
  async settle(): Promise<void> {
    const { rows, store } = this.#options;
    const arrivals = this.#arrivals;
    const replaced = this.#replaced;
    this.#arrivals = [];
    this.#replaced = [];
    const moved = await applyArrivals(arrivals, { rows, store });
    for (const id of moved) this.result.seen.add(id);
    for (const { entry } of replaced) {
      const now = await store.stat(entry.path);
      if (now) await this.#put([{ path: entry.path, ...now }]);
    }
  }

  #differ(folder: StoragePath): void {
    this.#different.add(folder);
    this.result.digests.delete(folder);
  }

  async #see(folder: StoragePath): Promise<void> {
    const { folders, known } = this.result;
    for (let one = folder; !folders.has(one) && isWithin(one, this.#options.folder); one = parentOf(one)) {
      folders.set(one, 0);
      if (!known.has(one) && one !== ROOT) await this.#options.rows.folders.add(one);
      if (one === ROOT) return;
    }
  }

  /** Finds the earlier rows of files without a row, or with that of another file, if the store identifies files. */
  async #meet(
    untracked: readonly FileEntry[],
    byPath: ReadonlyMap<StoragePath, KnownFile>,
    changed: FileEntry[],
  ): Promise<void> {
    const ids = this.result.lastId > 0 ? untracked.flatMap(({ fileId }) => fileId ?? []) : [];
    const identified = ids.length > 0 ? await this.#options.rows.files.identified(ids) : [];
    const byId = Map.groupBy(identified, ({ fileId }) => fileId ?? '');
    for (const entry of untracked) {
      const row = byPath.get(entry.path);
      const sources = (byId.get(entry.fileId ?? '') ?? []).filter(({ path }) => path !== entry.path);
      const source = sources.find(({ path }) => isTombstone(path)) ?? sources[0];
      if (row?.hasWords && !seesAll(this.#options)) this.result.isUndecided = true;
      else if (source) this.#arrivals.push({ entry, source });
      else if (row) this.#replaced.push({ entry, row });
      else {
        changed.push(entry);
        if (entry.fileId === undefined && this.result.lastId > 0) this.#noteAppeared(entry);
      }
    }
  }

  #noteAppeared(entry: FileEntry): void {
    if (this.#appearedCount === MAX_APPEARED) return;
    this.#appearedCount++;
    const { appeared } = this.result;
    const same = appeared.get(bytesOf(entry));
    if (same) same.push(entry);
    else appeared.set(bytesOf(entry), [entry]);
  }

  async #put(entries: readonly FileEntry[]): Promise<void> {
    for (const id of await this.#options.rows.files.put(entries)) this.result.seen.add(id);
  }
}

function isSame(row: KnownFile, entry: FileEntry): boolean {
  return (
    row.etag === entry.etag &&
    row.size === entry.size &&
    row.modifiedAt === entry.modifiedAt.getTime() &&
    row.fileId === (entry.fileId ?? null)
  );
}

/** True if another file has taken the name. */
function isOther(row: KnownFile, entry: FileEntry): boolean {
  return row.fileId !== null && entry.fileId !== undefined && row.fileId !== entry.fileId;
}
