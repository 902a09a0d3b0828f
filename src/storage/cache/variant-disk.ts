import { randomUUID } from 'node:crypto';
import { mkdir, opendir, rename, rm, rmdir, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KeyedLock } from '../../concurrency.ts';
import { hasCode } from '../../errors.ts';
import { type CachedFile, Eviction, timeOfUse } from './eviction.ts';
import type { Count } from './live-count.ts';

export interface VariantDiskOptions {
  directory: string;
  /** A folder of the same file system, for what is on its way out. */
  temp: string;
  maxBytes: number;
}

/** The top folders of the tree: `00` to `ff`. */
const SHARDS: readonly string[] = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));

/** In a lock: all of them. */
const ALL = '';

/** Another process on the same tree may remove a folder in the moment after it was made; hardly ever so often. */
const MAX_ATTEMPTS = 10;

/**
 * The files of the variant cache, `shard/original/variant`, within a budget of bytes. The tree is the only record of what is
 * there. Changes in one shard run one after the other, and so does a walk through it: so the count of it is exact, and no
 * folder vanishes under a file that is put into it.
 */
export class VariantDisk {
  readonly #options: VariantDiskOptions;
  readonly #lock = new KeyedLock<string>((one, other) => one === other || one === ALL || other === ALL);
  /** Of the shards that have been walked through. */
  readonly #counts = new Map<string, Count>();
  readonly #total: Count = { size: 0, fileCount: 0 };
  #background: Promise<unknown>;

  private constructor(options: VariantDiskOptions) {
    this.#options = options;
    // Nobody waits for it, and a count that is too low only makes the first eviction come later.
    this.#background = this.measure()
      .then(() => this.#evict())
      .catch(() => undefined);
  }

  static async open(options: VariantDiskOptions): Promise<VariantDisk> {
    await mkdir(options.directory, { recursive: true });
    return new VariantDisk(options);
  }

  /** Where a file lies. */
  path(name: string): string {
    return join(this.#options.directory, name);
  }

  /** What is there, as far as it has been counted since the start. Asks nobody. */
  get usage(): Count {
    return { ...this.#total };
  }

  /** Counts what is there anew. */
  async measure(): Promise<Count> {
    await this.#walk(() => undefined);
    return this.usage;
  }

  /** Moves a file of so many bytes to its place, and makes room for it behind it. */
  async place(file: string, name: string, size: number): Promise<void> {
    const target = this.path(name);
    await this.#lock.run([shardOf(name)], async () => {
      const replaced = await describe(target);
      await renameInto(file, target);
      this.#add(shardOf(name), { size: size - (replaced?.size ?? 0), fileCount: replaced ? 0 : 1 });
    });
    if (this.#isFull) this.#background = this.#background.then(() => this.#evict()).catch(() => undefined);
  }

  /** Writes down that a file was asked for again; one that is lost only makes it look older than it is. */
  async touch(name: string, now: number): Promise<void> {
    await utimes(this.path(name), timeOfUse(now), timeOfUse(now)).catch(() => undefined);
  }

  /** Removes a folder of an original, out of sight by one rename, then at leisure; how many files there were. */
  async remove(folder: string): Promise<number> {
    const doomed = join(this.#options.temp, randomUUID());
    const { fileCount } = await this.#lock.run([shardOf(folder)], async () => {
      const count = (await moveAway(this.path(folder), doomed)) ? await measureFolder(doomed) : NOTHING;
      this.#add(shardOf(folder), { size: -count.size, fileCount: -count.fileCount });
      return count;
    });
    await rm(doomed, { recursive: true, force: true });
    return fileCount;
  }

  /** Removes everything, in the same way. */
  async clear(): Promise<number> {
    const { directory, temp } = this.#options;
    const doomed = join(temp, randomUUID());
    const isThere = await this.#lock.run([ALL], async () => {
      const wasThere = await moveAway(directory, doomed);
      for (const shard of SHARDS) this.#set(shard, NOTHING);
      await mkdir(directory, { recursive: true });
      return wasThere;
    });
    if (!isThere) return 0;
    const { fileCount } = await measureFolder(doomed);
    await rm(doomed, { recursive: true, force: true });
    return fileCount;
  }

  /** Waits for what goes on behind. */
  async close(): Promise<void> {
    await this.#background;
  }

  get #isFull(): boolean {
    return this.#total.size > this.#options.maxBytes;
  }

  async #evict(): Promise<void> {
    if (!this.#isFull) return;
    for (;;) {
      const eviction = new Eviction(this.#options.maxBytes);
      await this.#walk((found) => eviction.add(found));
      const before = this.#total.fileCount;
      for (const victim of eviction.victims()) {
        if (this.#total.size <= eviction.targetBytes) return;
        await this.#removeFile(victim);
      }
      // What cannot be removed now is tried again by the next eviction.
      if (this.#total.size <= eviction.targetBytes || this.#total.fileCount >= before) return;
    }
  }

  /** Removes a file, unless it was used since it was seen, and the folder of its original when nothing else is in it. A reader
   * of it reads on. */
  async #removeFile({ file, usedAt }: CachedFile): Promise<void> {
    const shard = shardOf(file.slice(this.#options.directory.length + 1));
    await this.#lock.run([shard], async () => {
      const found = await describe(file);
      if (found?.usedAt !== usedAt) return;
      if (!(await succeeds(unlink(file)))) return;
      this.#add(shard, { size: -found.size, fileCount: -1 });
      await succeeds(rmdir(dirname(file)));
    });
  }

  async #walk(onFile: (found: CachedFile) => void): Promise<void> {
    for (const shard of SHARDS) {
      await this.#lock.run([shard], async () => {
        const count = { ...NOTHING };
        for await (const found of filesBelow(this.path(shard))) {
          count.size += found.size;
          count.fileCount++;
          onFile(found);
        }
        this.#set(shard, count);
      });
    }
  }

  /** What was not counted yet, the walk will find. */
  #add(shard: string, { size, fileCount }: Count): void {
    const known = this.#counts.get(shard);
    if (known) this.#set(shard, { size: known.size + size, fileCount: known.fileCount + fileCount });
  }

  #set(shard: string, count: Count): void {
    const before = this.#counts.get(shard) ?? NOTHING;
    this.#counts.set(shard, count);
    this.#total.size += count.size - before.size;
    this.#total.fileCount += count.fileCount - before.fileCount;
  }
}

const NOTHING: Readonly<Count> = { size: 0, fileCount: 0 };

function shardOf(name: string): string {
  return name.slice(0, 2);
}

/** Mostly the folder is there. */
async function renameInto(file: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(file, target);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isGone(error)) throw error;
    }
    await mkdir(dirname(target), { recursive: true }).catch((error) => {
      if (!isGone(error)) throw error;
    });
  }
}

/** False when there is no such folder. */
async function moveAway(folder: string, to: string): Promise<boolean> {
  try {
    await rename(folder, to);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Bytes and files below a folder. Files that vanish meanwhile do not count. */
async function measureFolder(folder: string): Promise<Count> {
  const total = { ...NOTHING };
  for await (const { size } of filesBelow(folder)) {
    total.size += size;
    total.fileCount++;
  }
  return total;
}

async function* filesBelow(folder: string): AsyncGenerator<CachedFile> {
  const entries = await opendir(folder).catch(() => undefined);
  for await (const entry of entries ?? []) {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(file);
    else if (entry.isFile()) {
      const found = await describe(file);
      if (found) yield found;
    }
  }
}

async function describe(file: string): Promise<CachedFile | undefined> {
  const found = await stat(file).catch(() => undefined);
  return found && { file, size: found.size, usedAt: found.mtimeMs };
}

/** A parent of the path is not there, or goes in this moment. */
function isGone(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR');
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
