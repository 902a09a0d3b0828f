import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../../concurrency.ts';
import type { Log } from '../../log.ts';
import { isWithin, ROOT, type StoragePath } from '../../path.ts';
import { saveSource } from '../disk/write.ts';
import { GrowingFile } from './growing-file.ts';
import type { OpenVariant, SharedVariants } from './shared-variants.ts';
import { SMALL_BYTES, type Variant, type VariantStore } from './variant-store.ts';

export interface ReadThroughOptions {
  /** The near cache, which stores what is found among the shared variants. */
  local: VariantStore;
  shared: SharedVariants;
  temp: string;
  /** Larger variants are not stored in the near cache, which could not hold them. */
  maxBytes: number;
  log: Log;
}

/**
 * Maximum number of large variants that fill the near cache concurrently. Others are streamed from the shared store.
 */
const FILL_CONCURRENCY = 8;

interface VariantName {
  original: StoragePath;
  key: string;
}

/** A variant being fetched, which may be invalidated before it arrives. */
interface Reading extends VariantName {
  isEvicted: boolean;
}

/**
 * Finds shared variants and stores them in the near cache: small ones before they are sent, large ones while they are
 * sent, so that the first byte does not wait for the last.
 */
export class ReadThrough {
  readonly #options: ReadThroughOptions;
  readonly #fetching = new SingleFlight<Variant | undefined>();
  readonly #arriving = new Map<string, Variant>();
  readonly #fills = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #reads = new Set<Reading>();

  constructor(options: ReadThroughOptions) {
    this.#options = options;
  }

  /** Makes one request for any number of concurrent callers. */
  async get(original: StoragePath, key: string): Promise<Variant | undefined> {
    return this.#arriving.get(key) ?? this.#fetching.run(key, undefined, () => this.#fetch({ original, key }));
  }

  /** Gets it by a request that begins after the call. */
  async getAgain(original: StoragePath, key: string): Promise<Variant | undefined> {
    const earlier = this.#fetching.has(key) ? await this.get(original, key) : undefined;
    return earlier ?? this.get(original, key);
  }

  /** Prevents variants that are being fetched, of an original or below a folder, from entering the near cache. */
  evict(path: StoragePath = ROOT): void {
    for (const reading of this.#reads) {
      if (!isWithin(reading.original, path)) continue;
      reading.isEvicted = true;
      this.#arriving.delete(reading.key);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The service stops.'));
    await Promise.all(this.#fills);
  }

  async #fetch(name: VariantName): Promise<Variant | undefined> {
    const reading = { ...name, isEvicted: false };
    this.#reads.add(reading);
    try {
      const { shared, maxBytes } = this.#options;
      const found = await shared.open(name.original, name.key);
      if (!found) return undefined;
      if (found.length <= SMALL_BYTES) return await this.#takeOver(reading, found);
      if (found.length <= maxBytes && this.#fills.size < FILL_CONCURRENCY) return this.#arrive(reading, found);
      found.stream.destroy();
      return this.#toVariant(name, found);
    } finally {
      this.#reads.delete(reading);
    }
  }

  async #takeOver(reading: Reading, { stream, format }: OpenVariant): Promise<Variant | undefined> {
    const file = join(this.#options.temp, randomUUID());
    try {
      await saveSource(stream, file);
      return await this.#keep(reading, format, file);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Readers follow the growing file. A part far ahead is read from the shared variant. */
  #arrive(before: Reading, found: OpenVariant): Variant {
    const reading = { ...before };
    this.#reads.add(reading);
    const file = join(this.#options.temp, randomUUID());
    const growing = new GrowingFile(file, found.length);
    const far = this.#toVariant(reading, found);
    const closing = this.#closing.signal;
    let near: Variant | undefined;
    const variant: Variant = {
      ...far,
      async open(range, signal) {
        if (near) return near.open(range, signal);
        const span = range ?? { start: 0, end: found.length - 1 };
        if (!growing.isNear(span)) return far.open(range, signal);
        return growing.open(span, signal).catch(() => {
          signal?.throwIfAborted();
          closing.throwIfAborted();
          // The file was just moved into the near cache, or could not be written. The shared variant exists in any
          // case.
          return far.open(range, signal);
        });
      },
    };
    const fill = this.#fill(reading, found, { file, growing }).then((taken) => {
      near = taken;
      this.#fills.delete(fill);
      this.#reads.delete(reading);
      if (this.#arriving.get(reading.key) === variant) this.#arriving.delete(reading.key);
    });
    this.#fills.add(fill);
    if (!reading.isEvicted) this.#arriving.set(reading.key, variant);
    return variant;
  }

  async #fill(
    reading: Reading,
    { stream, format }: OpenVariant,
    { file, growing }: { file: string; growing: GrowingFile },
  ): Promise<Variant | undefined> {
    const { log } = this.#options;
    const { signal } = this.#closing;
    try {
      await growing.fill(stream, signal);
      return await this.#keep(reading, format, file);
    } catch (err) {
      if (!signal.aborted) log.warn({ err }, 'variant not taken into the near cache');
      return undefined;
    } finally {
      await rm(file, { force: true }).catch(() => undefined);
    }
  }

  /** Stores a file in the near cache, unless it was or is meanwhile invalidated. */
  async #keep(reading: Reading, format: string, file: string): Promise<Variant | undefined> {
    const { local } = this.#options;
    if (reading.isEvicted) return undefined;
    const variant = await local.put(reading.original, reading.key, format, file);
    if (!reading.isEvicted) return variant;
    await local.evict(reading.original);
    return undefined;
  }

  #toVariant({ original, key }: VariantName, { format, length: size }: OpenVariant): Variant {
    const open: Variant['open'] = (range, signal) => this.#options.shared.read(original, key, range, signal);
    return { key, format, size, bytes: undefined, open };
  }
}
