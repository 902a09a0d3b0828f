import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../../concurrency.ts';
import type { Log } from '../../log.ts';
import type { StoragePath } from '../../path.ts';
import { saveSource } from '../disk/write.ts';
import { GrowingFile } from './growing-file.ts';
import type { SharedVariants } from './shared-variants.ts';
import { SMALL_BYTES, type Variant, type VariantStore } from './variants.ts';

export interface FarVariantsOptions {
  /** The near cache, which what was found far away goes into. */
  local: VariantStore;
  shared: SharedVariants;
  temp: string;
  /** Larger ones stay where they are: the near cache could not hold them. */
  maxBytes: number;
  log: Log;
}

/** Large variants on their way into the near cache at once; further ones are sent from the bucket alone. */
const FILLS_AT_ONCE = 8;

type Found = NonNullable<Awaited<ReturnType<SharedVariants['open']>>>;

interface Place {
  original: StoragePath;
  key: string;
}

/**
 * Finds variants in the bucket and takes them into the near cache: small ones before they are answered, large ones beside
 * it, so that their first byte does not wait for their last.
 */
export class FarVariants {
  readonly #options: FarVariantsOptions;
  readonly #fetching = new SingleFlight<Variant | undefined>();
  readonly #arriving = new Map<string, Variant>();
  readonly #fills = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  /** What was fetched while something was forgotten may be what was forgotten. */
  #forgets = 0;

  constructor(options: FarVariantsOptions) {
    this.#options = options;
  }

  /** One request, however many ask. */
  async get(original: StoragePath, key: string): Promise<Variant | undefined> {
    return this.#arriving.get(key) ?? this.#fetching.run(key, undefined, () => this.#fetch({ original, key }));
  }

  /** Nothing that is on its way now reaches the near cache. */
  forget(): void {
    this.#forgets++;
    this.#arriving.clear();
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The service stops.'));
    await Promise.all(this.#fills);
  }

  async #fetch(place: Place): Promise<Variant | undefined> {
    const { shared, maxBytes } = this.#options;
    const before = this.#forgets;
    const found = await shared.open(place.original, place.key);
    if (!found) return undefined;
    if (found.length <= SMALL_BYTES) return this.#takeOver(place, found, before);
    if (found.length <= maxBytes && this.#fills.size < FILLS_AT_ONCE) return this.#arrive(place, found, before);
    found.stream.destroy();
    return this.#describe(place, found);
  }

  async #takeOver({ original, key }: Place, { stream, format }: Found, before: number): Promise<Variant | undefined> {
    const file = join(this.#options.temp, randomUUID());
    try {
      await saveSource(stream, file);
      return before === this.#forgets ? await this.#options.local.put(original, key, format, file) : undefined;
    } finally {
      await rm(file, { force: true });
    }
  }

  /** Readers follow the file that grows; what lies far ahead of it they get from the bucket. */
  #arrive(place: Place, found: Found, before: number): Variant {
    const file = join(this.#options.temp, randomUUID());
    const growing = new GrowingFile(file, found.length);
    const far = this.#describe(place, found);
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
          // It has just been moved to its place, or could not be written: the bucket has it all the same.
          return far.open(range, signal);
        });
      },
    };
    const fill = this.#fill(place, found, { file, growing, before }).then((taken) => {
      near = taken;
      this.#fills.delete(fill);
      if (this.#arriving.get(place.key) === variant) this.#arriving.delete(place.key);
    });
    this.#fills.add(fill);
    if (before === this.#forgets) this.#arriving.set(place.key, variant);
    return variant;
  }

  async #fill(
    { original, key }: Place,
    { stream, format }: Found,
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

  #describe({ original, key }: Place, { format, length: size }: Found): Variant {
    const open: Variant['open'] = (range, signal) => this.#options.shared.read(original, key, range, signal);
    return { key, format, size, bytes: undefined, open };
  }
}
