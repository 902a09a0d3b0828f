import type { Usage } from './usage.ts';

const NOTHING: Usage = { size: 0, fileCount: 0 };

/**
 * Adds to counters that cannot be written now and then. What they count has changed already, so an outage only delays the figures.
 */
export class OwedUsage {
  readonly #write: (added: Usage) => Promise<void>;
  #owed = NOTHING;

  constructor(write: (added: Usage) => Promise<void>) {
    this.#write = write;
  }

  /** Whether everything is in the counters. */
  get isPaid(): boolean {
    return this.#owed === NOTHING;
  }

  async add(added: Usage): Promise<void> {
    this.#owed = sumOf(this.#owed, added);
    await this.pay();
  }

  /** Tries to write what could not be written. */
  async pay(): Promise<void> {
    const paid = this.#owed;
    if (this.isPaid) return;
    this.#owed = NOTHING;
    await this.#write(paid).catch(() => {
      this.#owed = sumOf(this.#owed, paid);
    });
  }

  /** The counters have been replaced by a new count. */
  forget(): void {
    this.#owed = NOTHING;
  }
}

function sumOf(one: Usage, other: Usage): Usage {
  return { size: one.size + other.size, fileCount: one.fileCount + other.fileCount };
}
