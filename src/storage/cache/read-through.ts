import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../../concurrency.ts';
import type { Log } from '../../log.ts';
import type { StoragePath } from '../../path.ts';
import { saveSource } from '../disk/write.ts';
import { GrowingFile } from './growing-file.ts';
import type { OpenVariant, SharedVariants } from './shared-variants.ts';
import { SMALL_BYTES, type Variant, type VariantStore } from './variant-store.ts';

export interface ReadThroughOptions {
  /** The near cache, which gets what is found among the shared variants. */
  local: VariantStore;
  shared: SharedVariants;
  temp: string;
  /** Larger variants are not taken into the near cache, which could not hold them. */
  maxBytes: number;
  log: Log;
}

/** How many large variants are taken into the near cache at once. Others are sent straight from where they lie. */
const FILLS_AT_ONCE = 8;

interface VariantName {
  original: StoragePath;
  key: string;
}

/**
 * Finds shared variants and takes them into the near cache: small ones before they are sent, large ones while they are sent,
 * so that the first byte does not wait for the last.
 */
export class ReadThrough {
  readonly #options: ReadThroughOptions;
  readonly #fetching = new SingleFlight<Variant | undefined>();
  readonly #arriving = new Map<string, Variant>();
  readonly #fills = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** A variant that was fetched while something was forgotten may be a forgotten one. */
  #forgets = 0;

  constructor(options: ReadThroughOptions) {
    this.#options = options;
  }

  /** Makes one request, however many callers ask at the same time. */
  async get(original: StoragePath, key: string): Promise<Variant | undefined> {
    return this.#arriving.get(key) ?? this.#fetching.run(key, undefined, () => this.#fetch({ original, key }));
  }

  /** The same by a request that begins after the call. */
  async getAgain(original: StoragePath, key: string): Promise<Variant | undefined> {
    const earlier = this.#fetching.has(key) ? await this.get(original, key) : undefined;
    return earlier ?? this.get(original, key);
  }

  /** Keeps everything that is on its way now out of the near cache. */
  forget(): void {
    this.#forgets++;
    this.#arriving.clear();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The service stops.'));
    await Promise.all(this.#fills);
  }

  async #fetch(name: VariantName): Promise<Variant | undefined> {
    const { shared, maxBytes } = this.#options;
    const before = this.#forgets;
    const found = await shared.open(name.original, name.key);
    if (!found) return undefined;
    if (found.length <= SMALL_BYTES) return this.#takeOver(name, found, before);
    if (found.length <= maxBytes && this.#fills.size < FILLS_AT_ONCE) return this.#arrive(name, found, before);
    found.stream.destroy();
    return this.#toVariant(name, found);
  }

  async #takeOver(
    { original, key }: VariantName,
    { stream, format }: OpenVariant,
    before: number,
  ): Promise<Variant | undefined> {
    const file = join(this.#options.temp, randomUUID());
    try {
      await saveSource(stream, file);
      return before === this.#forgets ? await this.#options.local.put(original, key, format, file) : undefined;
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Readers follow the growing file. A part far ahead of it comes from the shared variant. */
  #arrive(name: VariantName, found: OpenVariant, before: number): Variant {
    const file = join(this.#options.temp, randomUUID());
    const growing = new GrowingFile(file, found.length);
    const far = this.#toVariant(name, found);
    const closing = this.#closing.signal;
    let near: Variant | undefined;
    const variant: Variant = {
      ...far,
      async open(range, signal) {
        if (near) return near.open(range, signal);
        const wanted = range ?? { start: 0, end: found.length - 1 };
        if (!growing.isNear(wanted)) return far.open(range, signal);
        return growing.open(wanted, signal).catch(() => {
          signal?.throwIfAborted();
          closing.throwIfAborted();
          // The file has just been moved into the near cache, or could not be written. The shared variant is there in any case.
          return far.open(range, signal);
        });
      },
    };
    const fill = this.#fill(name, found, { file, growing, before }).then((taken) => {
      near = taken;
      this.#fills.delete(fill);
      if (this.#arriving.get(name.key) === variant) this.#arriving.delete(name.key);
    });
    this.#fills.add(fill);
    if (before === this.#forgets) this.#arriving.set(name.key, variant);
    return variant;
  }

  async #fill(
    { original, key }: VariantName,
    { stream, format }: OpenVariant,
    { file, growing, before }: { file: string; growing: GrowingFile; before: number },
  ): Promise<Variant | undefined> {
    const { local, log } = this.#options;
    const { signal } = this.#closing;
    try {
      await growing.fill(stream, signal);
      return before === this.#forgets ? await local.put(original, key, format, file) : undefined;
    } catch (err) {
      if (!signal.aborted) log.warn({ err }, 'variant not taken into the near cache');
      return undefined;
    } finally {
      await rm(file, { force: true }).catch(() => undefined);
    }
  }

  #toVariant({ original, key }: VariantName, { format, length: size }: OpenVariant): Variant {
    const open: Variant['open'] = (range, signal) => this.#options.shared.read(original, key, range, signal);
    return { key, format, size, bytes: undefined, open };
  }
}
