import { type FileHandle, open } from 'node:fs/promises';
import { boundedCache } from '../../bounded-cache.ts';
import type { Log } from '../../log.ts';
import { isWithin, type StoragePath } from '../../path.ts';
import type { SharedVariants } from './shared-variants.ts';

export interface WriteBehindOptions {
  shared: SharedVariants;
  /** Maximum number of waiting and running copies, and of their bytes. Beyond that, variants are not copied. */
  maxCount: number;
  maxBytes: number;
  log: Log;
}

/** A variant to copy. */
export interface NamedVariant {
  original: StoragePath;
  key: string;
  format: string;
}

/** Held open, so that its bytes stay readable when the near cache evicts the file. */
interface OpenFile {
  handle: FileHandle;
  size: number;
}

interface Upload extends NamedVariant, OpenFile {
  done: PromiseWithResolvers<void>;
}

const UPLOAD_CONCURRENCY = 8;

/** Retention of the record of sent copies, in ms. Another node may be removing them at the same time, and miss one. */
const SENT_MS = 300_000;
const MAX_SENT = 2000;

/**
 * Copies new variants to the shared ones in the background; no response waits for it. When the queue is full, a variant
 * is not copied: another node, or this one after an eviction, renders it again.
 */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  readonly #stopping = new AbortController();
  /** Variants that are being moved into the near cache. */
  readonly #announced = new Set<{ original: StoragePath; isEvicted: boolean }>();
  readonly #waiting = new Set<Upload>();
  readonly #running = new Set<Upload>();
  readonly #sent = boundedCache<StoragePath, true>(MAX_SENT, SENT_MS);
  #bytes = 0;
  #hasRefused = false;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
  }

  /** Stores a file in the near cache, and queues a copy of it. @param take moves the file there */
  async behind<T>(variant: NamedVariant, file: string, take: () => Promise<T>): Promise<T> {
    const announced = { original: variant.original, isEvicted: false };
    this.#announced.add(announced);
    let open: OpenFile | undefined;
    try {
      open = await this.#open(variant, file);
      const taken = await take();
      if (open && !announced.isEvicted && this.#add({ ...variant, ...open })) open = undefined;
      return taken;
    } finally {
      this.#announced.delete(announced);
      await open?.handle.close();
    }
  }

  /** Copies a file immediately. A failure is only logged: the variant exists without its copy. */
  async now({ original, key, format }: NamedVariant, file: string, signal: AbortSignal | undefined): Promise<void> {
    try {
      await using handle = await open(file, 'r');
      await this.#options.shared.put(original, key, format, handle, signal);
    } catch (err) {
      this.#options.log.warn({ err, key }, 'variant not stored in the bucket');
    }
  }

  /** Drops the waiting copies of an original, or of everything below a folder. Copies being sent continue. */
  async evict(path: StoragePath): Promise<void> {
    for (const one of this.#announced) if (isWithin(one.original, path)) one.isEvicted = true;
    await this.#drop((upload) => isWithin(upload.original, path));
  }

  /** Returns the originals at or below a path whose copies are being sent, or were sent recently. */
  sentWithin(path: StoragePath): StoragePath[] {
    const originals = [...this.#running].map(({ original }) => original);
    return [...new Set([...originals, ...this.#sent.keys()])].filter((original) => isWithin(original, path));
  }

  /** Waits for the waiting and running copies, or for that of the variant with this key. */
  async settled(key?: string): Promise<void> {
    const uploads = [...this.#waiting, ...this.#running].filter((upload) => key === undefined || upload.key === key);
    await Promise.all(uploads.map(({ done }) => done.promise));
  }

  /** Waits for all copies. When the signal aborts, the rest is abandoned. */
  async close(signal: AbortSignal | undefined): Promise<void> {
    const abandon = () => {
      this.#stopping.abort(new Error('The service stops.'));
      void this.#drop(() => true);
    };
    if (signal?.aborted) abandon();
    signal?.addEventListener('abort', abandon, { once: true });
    await this.settled();
    signal?.removeEventListener('abort', abandon);
  }

  async #open({ key }: NamedVariant, file: string): Promise<OpenFile | undefined> {
    try {
      const handle = await open(file, 'r');
      return { handle, size: (await handle.stat()).size };
    } catch (err) {
      this.#options.log.warn({ err, key }, 'variant not stored in the bucket');
      return undefined;
    }
  }

  /** Returns false when the queue is full. */
  #add(variant: NamedVariant & OpenFile): boolean {
    const { maxCount, maxBytes, log } = this.#options;
    if (this.#waiting.size + this.#running.size >= maxCount || this.#bytes + variant.size > maxBytes) {
      // Warn once each time the queue fills up.
      if (!this.#hasRefused) log.warn('the queue of variants for the bucket is full: some are not stored in it');
      this.#hasRefused = true;
      return false;
    }
    this.#bytes += variant.size;
    this.#waiting.add({ ...variant, done: Promise.withResolvers() });
    this.#next();
    return true;
  }

  #next(): void {
    const [upload] = this.#waiting;
    if (!upload || this.#running.size >= UPLOAD_CONCURRENCY) return;
    this.#waiting.delete(upload);
    this.#running.add(upload);
    void this.#send(upload);
  }

  async #send(upload: Upload): Promise<void> {
    const { shared, log } = this.#options;
    const { original, key, format, handle } = upload;
    try {
      await shared.put(original, key, format, handle, this.#stopping.signal);
      this.#sent.set(original, true);
    } catch (err) {
      log.warn({ err, key }, 'variant not stored in the bucket');
    }
    this.#running.delete(upload);
    await this.#end(upload);
    this.#next();
  }

  async #drop(isAffected: (upload: Upload) => boolean): Promise<void> {
    const dropped = [...this.#waiting].filter(isAffected);
    for (const upload of dropped) this.#waiting.delete(upload);
    await Promise.all(dropped.map((upload) => this.#end(upload)));
  }

  async #end({ handle, size, done }: Upload): Promise<void> {
    this.#bytes -= size;
    if (this.#waiting.size + this.#running.size === 0) this.#hasRefused = false;
    await handle.close().catch(() => undefined);
    done.resolve();
  }
}
