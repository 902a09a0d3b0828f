import { sumOf, type Usage } from '../../usage.ts';

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

  /** What is not in the counters yet. */
  get sum(): Usage {
    return this.#owed;
  }

  add(added: Usage): void {
    this.#owed = sumOf(this.#owed, added);
  }

  /** Tries to write it. */
  async pay(): Promise<void> {
    const paid = this.#owed;
    if (this.isPaid) return;
    this.#owed = NOTHING;
    await this.#write(paid).catch(() => this.add(paid));
  }

  /** The counters have been replaced by a new count. */
  forget(): void {
    this.#owed = NOTHING;
  }
}
