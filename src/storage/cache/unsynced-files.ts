import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { hasCode } from '../../errors.ts';
import { replaceFile, syncFolder } from '../disk/write.ts';
import { SMALL_BYTES } from './variant-store.ts';

/** Maximum number of files that are not synced yet. Beyond it each is synced before it is stored. */
const MAX_UNSYNCED = 10_000;

/** Maximum number of files that this process stores before the lost ones are removed; later ones are stored again. */
const MAX_OWN = 100_000;

/** Interval of checkpoints, in ms. After half a minute the kernel has written a file, and syncing it costs little. */
const CHECKPOINT_MS = 300_000;

/** Times of files lag behind the clock: by a tick of the kernel, or by the resolution of the file system. */
const CLOCK_LAG_MS = 2000;

/** No file takes longer from its first byte until it is stored. */
const MAX_AGE_MS = 24 * 3_600_000;

/** A process renews its marker before it stores a file after this time, in seconds. */
const RENEWAL_S = 3600;

/** Age of the marker of a killed process, in seconds, at which the kernel has long written its files. */
const ABANDONED_S = 2 * RENEWAL_S;

/** Says that files stored since a time may be damaged once the host has restarted. */
interface Marker {
  /** Identifies the run of the kernel. */
  bootId: string;
  since: number;
  /** Seconds from the start of the host until the marker was written. The clock may be set, this cannot. */
  uptime: number;
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
 * the host no file stored since its time is read: all are removed in the background. Checkpoints sync the files and
 * advance the marker; closing removes it. The marker of a killed process has no effect until the host restarts, and
 * another process removes it after two hours.
 */
export class UnsyncedFiles {
  readonly #folder: string;
  readonly #bootId: string | undefined;
  /** The marker of this process: another one on the same cache has its own. */
  readonly #marker: string;
  readonly #paths = new Set<string>();
  /** Start times of moves in progress. */
  readonly #moving = new Map<symbol, number>();
  /** Markers from before the restart of the host, and the earliest time that they name. */
  #lost: { markers: string[]; since: number } | undefined;
  /** Files stored by this process while lost ones are still there. */
  readonly #own = new Set<string>();
  #since = 0;
  #marked: Promise<void> | undefined;
  /** `uptime` of the marker. */
  #markedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #checkpoint: Promise<void> = Promise.resolve();
  #syncing: string | undefined;
  /** Ends the last sync. */
  #end: AbortSignal | undefined;
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
    for (const marker of markers) files.#read(marker, await readMarker(marker));
    if (files.#lost?.since === Number.POSITIVE_INFINITY) await files.forgetLost();
    return files;
  }

  /** A marker that cannot be read was not durable yet, so no file was stored after it. */
  #read(file: string, { bootId, since = Number.POSITIVE_INFINITY }: Partial<Marker>): void {
    if (bootId !== undefined && bootId === this.#bootId) return;
    const { markers, since: earliest } = this.#lost ?? { markers: [], since: Number.POSITIVE_INFINITY };
    this.#lost = { markers: [...markers, file], since: Math.min(earliest, since) };
  }

  /** True until the files that a restart of the host may have damaged are removed. */
  get hasLost(): boolean {
    return this.#lost !== undefined;
  }

  /** True for a file that this process stored. Has to be called before the file is opened: another may replace it. */
  isOwn(path: string): boolean {
    return this.#own.has(path);
  }

  /** True if a restart of the host may have damaged the file, which an earlier process stored. */
  isLost({ size, ctimeMs, birthtimeMs }: Pick<Stats, 'size' | 'ctimeMs' | 'birthtimeMs'>): boolean {
    // Larger files were synced before they were stored.
    if (!this.#lost || size > SMALL_BYTES) return false;
    const { since } = this.#lost;
    // The change time is that of the move into the cache, or of a later use, which does not make an old file suspect.
    // Not every file system records when a file was created: then it is 0.
    const isOld = birthtimeMs > 0 && birthtimeMs < since - MAX_AGE_MS;
    return ctimeMs >= since && !isOld;
  }

  /** Forgets the lost files: all are removed. */
  async forgetLost(): Promise<void> {
    for (const marker of this.#lost?.markers ?? []) await rm(marker, { force: true });
    this.#lost = undefined;
    this.#own.clear();
  }

  /** Notes a file that has just been moved into the cache. */
  addOwn(path: string): void {
    if (this.#lost && this.#own.size < MAX_OWN) this.#own.add(path);
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

  /** Syncs the files, until the signal aborts. Those that are stored later are synced first. */
  async close(signal?: AbortSignal): Promise<void> {
    this.#isClosed = true;
    this.#end = signal;
    clearTimeout(this.#timer);
    await this.#checkpoint;
    await this.#sync().catch(() => undefined);
    if (this.#marked && !this.#hasUnsynced) await rm(this.#marker, { force: true });
  }

  /** Syncs the files, one after another, and advances the marker. After an error the next one tries again. */
  checkpoint(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#checkpoint = this.#checkpoint.then(() => this.#syncAndAdvance()).catch(() => undefined);
    return this.#checkpoint;
  }

  async #syncAndAdvance(): Promise<void> {
    // A file that is being moved has its new name before this process knows.
    const now = Math.min(Date.now(), ...this.#moving.values());
    await this.#sync();
    if (!this.#marked) return;
    await this.#marked;
    this.#marked = this.#mark(now);
    await this.#marked;
    await this.#removeAbandoned();
  }

  async #sync(): Promise<void> {
    for (const path of [...this.#paths]) {
      this.#end?.throwIfAborted();
      // Removed first: a file that replaces this one meanwhile is left to the next checkpoint.
      this.#paths.delete(path);
      this.#syncing = path;
      try {
        await syncFile(path);
      } catch (error) {
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) continue;
        this.#paths.add(path);
        throw error;
      } finally {
        this.#syncing = undefined;
      }
    }
  }

  get #hasUnsynced(): boolean {
    return this.#paths.size + this.#moving.size > 0 || this.#syncing !== undefined;
  }

  /** Removes the markers of processes that were killed in this run of the kernel. */
  async #removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      const file = join(this.#folder, name);
      const { bootId, uptime: writtenAt = os.uptime() } = await readMarker(file);
      if (bootId === this.#bootId && os.uptime() - writtenAt > ABANDONED_S) await rm(file, { force: true });
    }
  }

  /** True if the marker covers a file that is stored now. It does not where the clock was set back. */
  async #isMarked(): Promise<boolean> {
    if (this.#bootId === undefined || this.#isClosed) return false;
    this.#timer ??= setTimeout(() => void this.checkpoint(), CHECKPOINT_MS).unref();
    if (this.#paths.size + this.#moving.size >= MAX_UNSYNCED) return false;
    if (!this.#marked || os.uptime() - this.#markedAt > RENEWAL_S) {
      // The marker still has to cover the files that are not synced.
      this.#marked = this.#mark(this.#hasUnsynced ? this.#since : Date.now());
    }
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
    this.#markedAt = os.uptime();
    const marker: Marker = { bootId: this.#bootId ?? '', since: now - CLOCK_LAG_MS, uptime: this.#markedAt };
    // It may have been deleted together with the cache.
    if (await mkdir(this.#folder, { recursive: true })) await syncFolder(dirname(this.#folder));
    await replaceFile(this.#marker, JSON.stringify(marker));
    this.#since = now;
  }
}

/** Identifies the run of the kernel, also in containers; undefined where the system has no such name. */
export async function readBootId(): Promise<string | undefined> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/** Reads a marker. One that is missing or was cut off has no fields. */
async function readMarker(file: string): Promise<Partial<Marker>> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return {};
  }
}

async function syncFile(file: string): Promise<void> {
  await using handle = await open(file, 'r');
  await handle.datasync();
}
