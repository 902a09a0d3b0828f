import { randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, opendir, readdir, rename, rm, rmdir, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyedLock, succeeds } from '../../concurrency.ts';
import { hasCode } from '../../errors.ts';
import { removeFile } from '../../runtime/remove-file.ts';
import { batchesOf } from '../in-parallel.ts';
import { readSmallFile, type SmallFile } from '../local-file.ts';
import { NO_USAGE, sumOf, type Usage, usageOf } from '../usage.ts';
import { type CachedFile, Eviction, timeOfUse, type Use } from './eviction.ts';
import { FileLister } from './file-lister.ts';
import { OpenFiles, type TakeBytes } from './open-files.ts';
import { UnsyncedFiles } from './unsynced-files.ts';

export interface DiskTierOptions {
  directory: string;
  /** A folder of the same file system, for files that are being removed. */
  temp: string;
  maxBytes: number;
  /** Identifies the run of the host's kernel; undefined where it is unknown. */
  bootId: string | undefined;
}

/** Top folders of the tree: `00` to `ff`. */
const SHARDS: readonly string[] = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));

/** Lock of all shards. */
const ALL = '';

/** Number of files in the cache up to which no thread lists them: starting it takes as long. */
const MAX_WITHOUT_THREAD = 2000;

/** Number of files that are inspected together. */
const BATCH = 64;

/** Another process on the same tree may remove a folder right after it was created, but hardly this often in a row. */
const MAX_ATTEMPTS = 10;

/**
 * Stores the files of the variant cache, `shard/original/variant`, within a budget of bytes. The tree is the only
 * record of them. Changes and walks of one shard are serialized: the count is exact, and no folder is removed while a
 * file is moved into it.
 */
export class DiskTier {
  readonly #options: DiskTierOptions;
  readonly #unsynced: UnsyncedFiles;
  readonly #lock = new KeyedLock<string>((one, other) => one === other || one === ALL || other === ALL);
  /** Usage of the shards that have been counted. */
  readonly #counts = new Map<string, Usage>();
  readonly #openFiles: OpenFiles;
  readonly #lister = new FileLister();
  readonly #total: Usage = { size: 0, fileCount: 0 };
  readonly #abandoned = new AbortController();
  #background: Promise<unknown>;

  private constructor(options: DiskTierOptions, unsynced: UnsyncedFiles) {
    this.#options = options;
    this.#openFiles = new OpenFiles(options.directory);
    this.#unsynced = unsynced;
    // Not awaited: a count that is too low only delays the first eviction.
    this.#background = this.#removeLost()
      .catch(() => undefined)
      .then(() => this.measure())
      .then(() => this.#evict())
      .catch(() => undefined);
  }

  static async open(options: DiskTierOptions): Promise<DiskTier> {
    const { directory, bootId } = options;
    await mkdir(directory, { recursive: true });
    return new DiskTier(options, await UnsyncedFiles.open(`${directory}-unsynced`, bootId));
  }

  /** The path of a file on the disk. */
  path(name: string): string {
    return join(this.#options.directory, name);
  }

  /**
   * Reads a file of unknown size in one go, unless it is larger than `maxBytes`. Returns undefined for one that is
   * missing, or that a restart of the host may have damaged.
   */
  async readSmall(name: string, maxBytes: number): Promise<SmallFile | undefined> {
    const path = this.path(name);
    const isOwn = this.#unsynced.isOwn(path);
    const found = await readSmallFile(path, maxBytes);
    return found && !isOwn && this.#unsynced.isLost(found.stats) ? undefined : found;
  }

  /** Reads a file of `size` bytes. @param take gets undefined for a file that is missing or has another size */
  read(name: string, size: number, take: TakeBytes): void {
    this.#openFiles.read(name, size, take);
  }

  /** Usage as counted since the start. Makes no system call. */
  get usage(): Usage {
    return { ...this.#total };
  }

  /** Counts the files of one original. */
  usageOf(folder: string): Promise<Usage> {
    return usageOf(filesBelow(this.path(folder)));
  }

  /** Recounts all files. */
  async measure(): Promise<Usage> {
    await this.#walk(() => this.#abandoned.signal.throwIfAborted());
    return this.usage;
  }

  /** Moves a file of `size` bytes into the cache, then evicts in the background. */
  async place(file: string, name: string, size: number): Promise<void> {
    const target = this.path(name);
    await this.#unsynced.store({ file, target, size }, () =>
      this.#lock.run([shardOf(name)], async () => {
        const replaced = await inspect(target);
        await renameInto(file, target);
        this.#unsynced.addOwn(target);
        this.#openFiles.close(name);
        this.#add(shardOf(name), { size: size - (replaced?.size ?? 0), fileCount: replaced ? 0 : 1 });
      }),
    );
    if (this.#isFull) this.#background = this.#background.then(() => this.#evict()).catch(() => undefined);
  }

  /** Records that a file was requested again. After a failure the file only looks older than it is. */
  async touch(name: string, now: number): Promise<void> {
    // That would make it look like a lost one.
    if (this.#unsynced.hasLost) return;
    await utimes(this.path(name), timeOfUse(now), timeOfUse(now)).catch(() => undefined);
  }

  /** Removes the folder of an original: one rename hides it, then its files are deleted. Returns their number. */
  async remove(folder: string): Promise<number> {
    const doomed = join(this.#options.temp, randomUUID());
    const removed = await this.#lock.run([shardOf(folder)], async () => {
      const exists = await moveAway(this.path(folder), doomed);
      this.#openFiles.closeBelow(folder);
      if (!exists) return undefined;
      const count = await usageOf(filesBelow(doomed));
      this.#add(shardOf(folder), { size: -count.size, fileCount: -count.fileCount });
      return count.fileCount;
    });
    if (removed === undefined) return 0;
    await rm(doomed, { recursive: true, force: true });
    return removed;
  }

  /** Removes everything in the same way. */
  async clear(): Promise<number> {
    const { directory, temp } = this.#options;
    const doomed = join(temp, randomUUID());
    const exists = await this.#lock.run([ALL], async () => {
      const wasThere = await moveAway(directory, doomed);
      this.#openFiles.closeAll();
      for (const shard of SHARDS) this.#set(shard, NO_USAGE);
      await mkdir(directory, { recursive: true });
      return wasThere;
    });
    if (!exists) return 0;
    const { fileCount } = await usageOf(filesBelow(doomed));
    await rm(doomed, { recursive: true, force: true });
    return fileCount;
  }

  /** Waits for background work, or abandons it when the signal aborts. */
  async close(signal?: AbortSignal): Promise<void> {
    const abandon = () => this.#abandoned.abort();
    if (signal?.aborted) abandon();
    signal?.addEventListener('abort', abandon, { once: true });
    await this.#background;
    signal?.removeEventListener('abort', abandon);
    this.#openFiles.end();
    await this.#lister.close();
    await this.#unsynced.close(signal);
  }

  get #isFull(): boolean {
    return this.#total.size > this.#options.maxBytes;
  }

  async #evict(): Promise<void> {
    while (this.#isFull) {
      const eviction = new Eviction(this.#options.maxBytes);
      await this.#walk((found) => {
        this.#abandoned.signal.throwIfAborted();
        eviction.add(found);
      });
      const before = this.#total.fileCount;
      await this.#removeChosen(eviction);
      // The next eviction retries the removal.
      if (this.#total.fileCount >= before) return;
    }
  }

  /** Lists the files again, a shard at a time: their number is not bounded. */
  async #removeChosen(eviction: Eviction): Promise<void> {
    const choice = eviction.choose();
    const { signal } = this.#abandoned;
    for (const shard of SHARDS) {
      const folder = this.path(shard);
      const files = this.#isLarge ? this.#lister.usedUntil(choice.usedUntil, folder, signal) : filesBelow(folder);
      const chosen: CachedFile[] = [];
      for await (const found of files) if (choice.has(found)) chosen.push(found);
      for (const found of chosen) {
        signal.throwIfAborted();
        if (this.#total.size <= eviction.targetBytes) return;
        await this.#evictFile(found);
      }
    }
  }

  /**
   * Removes a file, unless it was used since it was listed, and the folder of its original if that is then empty.
   * Readers of the open file continue.
   */
  async #evictFile({ file, usedAt }: CachedFile): Promise<void> {
    const name = file.slice(this.#options.directory.length + 1);
    const shard = shardOf(name);
    await this.#lock.run([shard], async () => {
      const found = await inspect(file);
      if (found?.usedAt !== usedAt) return;
      if (!(await succeeds(unlink(file)))) return;
      this.#openFiles.close(name);
      this.#add(shard, { size: -found.size, fileCount: -1 });
      await succeeds(rmdir(dirname(file)));
    });
  }

  /** Removes the files that a restart of the host may have damaged. None of them is read meanwhile. */
  async #removeLost(): Promise<void> {
    if (!this.#unsynced.hasLost) return;
    for (const shard of SHARDS) {
      for (const original of await namesIn(this.path(shard))) {
        this.#abandoned.signal.throwIfAborted();
        await this.#lock.run([shard], () => this.#removeLostIn(`${shard}/${original}`));
      }
    }
    await this.#unsynced.forgetLost();
  }

  async #removeLostIn(folder: string): Promise<void> {
    let removed = 0;
    for (const name of await namesIn(this.path(folder))) {
      const path = this.path(`${folder}/${name}`);
      if (this.#unsynced.isOwn(path)) continue;
      const stats = await stat(path).catch(unlessMissing);
      if (!stats || !this.#unsynced.isLost(stats)) continue;
      await removeFile(path);
      removed++;
    }
    // It stays if it has other files.
    if (removed > 0) await succeeds(rmdir(this.path(folder)));
  }

  async #walk(onFile: (found: Use) => void): Promise<void> {
    for (const shard of SHARDS) {
      await this.#lock.run([shard], async () => {
        const count = { ...NO_USAGE };
        for await (const found of this.#usesOf(shard)) {
          count.size += found.size;
          count.fileCount++;
          onFile(found);
        }
        this.#set(shard, count);
      });
    }
  }

  #usesOf(shard: string): AsyncIterable<Use> {
    const folder = this.path(shard);
    return this.#isLarge ? this.#lister.uses(folder, this.#abandoned.signal) : filesBelow(folder);
  }

  get #isLarge(): boolean {
    return this.#total.fileCount > MAX_WITHOUT_THREAD;
  }

  /** A shard without a count yet will be counted by the walk. */
  #add(shard: string, delta: Usage): void {
    const known = this.#counts.get(shard);
    if (known) this.#set(shard, sumOf(known, delta));
  }

  #set(shard: string, count: Usage): void {
    const before = this.#counts.get(shard) ?? NO_USAGE;
    this.#counts.set(shard, count);
    this.#total.size += count.size - before.size;
    this.#total.fileCount += count.fileCount - before.fileCount;
  }
}

function shardOf(name: string): string {
  return name.slice(0, 2);
}

/** Moves a file. The folder mostly exists, so it is only created when the rename fails. */
async function renameInto(file: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(file, target);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isMissing(error)) throw error;
    }
    await mkdir(dirname(target), { recursive: true }).catch((error) => {
      if (!isMissing(error)) throw error;
    });
  }
}

/** Returns false for a missing folder. */
async function moveAway(folder: string, to: string): Promise<boolean> {
  try {
    await rename(folder, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Yields the files below a folder, without those deleted meanwhile, and those that cannot be read. */
async function* filesBelow(folder: string): AsyncGenerator<CachedFile> {
  for await (const batch of batchesOf(entriesOf(folder), BATCH)) {
    const files = batch.filter((entry) => entry.isFile()).map(({ name }) => inspect(join(folder, name)));
    for (const found of await Promise.all(files)) if (found) yield found;
    for (const entry of batch) if (entry.isDirectory()) yield* filesBelow(join(folder, entry.name));
  }
}

/** Yields the entries of a folder; none more once it is deleted or cannot be read. */
async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder, { bufferSize: BATCH });
  } catch {
    // The next walk tries again.
  }
}

/** Returns the names of a folder's entries; none for a missing one. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(unlessMissing)) ?? [];
}

async function inspect(file: string): Promise<CachedFile | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && { file, size: found.size, usedAt: found.mtimeMs };
}

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** True if the path or a parent of it is missing, or is being removed. */
function isMissing(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}
