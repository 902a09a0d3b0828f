import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../errors.ts';
import { syncFolder } from '../disk/write.ts';
import { SMALL_BYTES } from './variant-store.ts';

/** Maximum number of files that are not synced yet. Beyond it each is synced before it is stored. */
const MAX_UNSYNCED = 10_000;

/** Interval of checkpoints, in ms. After half a minute the kernel has written a file, and syncing it costs little. */
const CHECKPOINT_MS = 300_000;

/** Times of files lag behind the clock: by a tick of the kernel, or by the resolution of the file system. */
const CLOCK_LAG_MS = 2000;

/** No file takes longer from its first byte until it is stored. */
const MAX_AGE_MS = 24 * 3_600_000;

/** Says that files stored since a time may be damaged once the host has restarted. */
interface Marker {
  /** Identifies the run of the kernel. */
  bootId: string;
  since: number;
}

interface UnsyncedFile {
  file: string;
  /** Its path in the cache. */
  target: string;
  /** Bytes. */
  size: number;
}

/**
 * Files of a cache that a power failure may damage. Syncing each one before it is stored delays its client by the disk,
 * for a file that can be made again. So a durable marker is written before the first of them, and after a restart of
 * the host all files stored since its time are removed before any is read. Checkpoints sync the files and advance the
 * marker; closing removes it. A killed process leaves its marker, which has no effect until the host restarts.
 */
export class UnsyncedFiles {
  readonly #folder: string;
  readonly #bootId: string | undefined;
  /** The marker of this process: another one on the same cache has its own. */
  readonly #marker: string;
  readonly #paths = new Set<string>();
  /** Start times of moves in progress. */
  readonly #moving = new Map<symbol, number>();
  #lost: { markers: string[]; since: number } | undefined;
  #since = 0;
  #marked: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checkpoint: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(folder: string, bootId: string | undefined) {
    this.#folder = folder;
    this.#bootId = bootId;
    this.#marker = join(folder, randomUUID());
  }

  /** @param bootId undefined where it is unknown; then each file is synced before it is stored */
  static async open(folder: string, bootId: string | undefined): Promise<UnsyncedFiles> {
    const files = new UnsyncedFiles(folder, bootId);
    await mkdir(folder, { recursive: true });
    const markers = (await readdir(folder)).map((name) => join(folder, name));
    for (const marker of markers) files.#read(marker, await readFile(marker, 'utf8').catch(() => ''));
    return files;
  }

  /** A marker that cannot be read was not durable yet, so no file was stored after it. */
  #read(file: string, text: string): void {
    const { bootId, since = Number.POSITIVE_INFINITY } = parse(text);
    if (bootId !== undefined && bootId === this.#bootId) return;
    const { markers, since: earliest } = this.#lost ?? { markers: [], since: Number.POSITIVE_INFINITY };
    this.#lost = { markers: [...markers, file], since: Math.min(earliest, since) };
  }

  /** Removes the files that a restart of the host may have damaged. Has to complete before any file is read. */
  async removeLost(files: () => AsyncIterable<{ file: string }>): Promise<void> {
    if (!this.#lost) return;
    const { markers, since } = this.#lost;
    for await (const { file } of Number.isFinite(since) ? files() : []) {
      const found = await stat(file).catch(() => undefined);
      // The change time is that of the move into the cache, or of a later use, which does not make an old file suspect.
      // Not every file system records when a file was created: then it is 0.
      const isOld = found && found.birthtimeMs > 0 && found.birthtimeMs < since - MAX_AGE_MS;
      const isSuspect = found && found.ctimeMs >= since && !isOld;
      if (isSuspect) await rm(file, { force: true });
    }
    for (const marker of markers) await rm(marker, { force: true });
    this.#lost = undefined;
  }

  /** Moves a file into the cache: syncs it before, or notes afterwards that it is not synced. */
  async store({ file, target, size }: UnsyncedFile, move: () => Promise<void>): Promise<void> {
    if (size > SMALL_BYTES || !(await this.#isMarked())) {
      await syncFile(file);
      await move();
      return;
    }
    const moving = Symbol(target);
    this.#moving.set(moving, Date.now());
    try {
      await move();
      this.#paths.add(target);
    } finally {
      this.#moving.delete(moving);
    }
  }

  /** Syncs the files. Those that are stored later are synced first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.checkpoint();
    if (this.#marked && this.#paths.size === 0 && this.#moving.size === 0) await rm(this.#marker, { force: true });
  }

  /** Syncs the files, one after another, and advances the marker. After an error the next one tries again. */
  checkpoint(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#checkpoint = this.#checkpoint.then(() => this.#sync()).catch(() => undefined);
    return this.#checkpoint;
  }

  async #sync(): Promise<void> {
    // A file that is being moved has its new name before this process knows.
    const now = Math.min(Date.now(), ...this.#moving.values());
    for (const path of [...this.#paths]) {
      // Removed first: a file that replaces this one meanwhile is left to the next checkpoint.
      this.#paths.delete(path);
      try {
        await syncFile(path);
      } catch (error) {
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) continue;
        this.#paths.add(path);
        throw error;
      }
    }
    if (!this.#marked) return;
    await this.#marked;
    this.#marked = this.#mark(now);
    await this.#marked;
  }

  /** True if the marker covers a file that is stored now. It does not where the clock was set back. */
  async #isMarked(): Promise<boolean> {
    if (this.#bootId === undefined || this.#isClosed) return false;
    this.#timer ??= setTimeout(() => void this.checkpoint(), CHECKPOINT_MS).unref();
    if (this.#paths.size + this.#moving.size >= MAX_UNSYNCED) return false;
    this.#marked ??= this.#mark(Date.now());
    const marked = this.#marked;
    try {
      await marked;
    } catch {
      // The next file tries again.
      if (this.#marked === marked) this.#marked = undefined;
      return false;
    }
    return Date.now() >= this.#since;
  }

  async #mark(now: number): Promise<void> {
    const marker: Marker = { bootId: this.#bootId ?? '', since: now - CLOCK_LAG_MS };
    const file = `${this.#marker}.new`;
    // It may have been deleted together with the cache.
    if (await mkdir(this.#folder, { recursive: true })) await syncFolder(dirname(this.#folder));
    await using handle = await open(file, 'w');
    await handle.writeFile(JSON.stringify(marker));
    await handle.sync();
    await rename(file, this.#marker);
    await syncFolder(this.#folder);
    this.#since = now;
  }
}

/** Identifies the run of the kernel, also in containers; undefined where the system has no such name. */
export async function readBootId(): Promise<string | undefined> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return text.trim() || undefined;
}

function parse(text: string): Partial<Marker> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

async function syncFile(file: string): Promise<void> {
  await using handle = await open(file, 'r');
  await handle.datasync();
}
