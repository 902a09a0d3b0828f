import type { VariantLedger } from '../../cache/shared-variants.ts';
import type { Usage } from '../../usage.ts';
import { OwedUsage } from './owed-usage.ts';

/**
 * How long after the last change its figures are written, in milliseconds. Under load one change follows the other, and each would
 * cost three statements.
 */
const LINGER_MS = 250;

/** Keeps the counters of variants right around changes of them, with few writes to the ledger. */
export class Bookkeeping {
  readonly #ledger: VariantLedger;
  readonly #owed: OwedUsage;
  /** The writes to the ledger, one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;
  /** Whether the ledger says that changes are under way. */
  #isNoted = false;
  /** Whether a change has failed, so that nobody knows how far it came. */
  #isDoubtful = false;
  #pause: NodeJS.Timeout | undefined;

  constructor(ledger: VariantLedger) {
    this.#ledger = ledger;
    this.#owed = new OwedUsage((added) => ledger.add(added));
  }

  /** Runs a change. If the process ends in the middle of it, or a moment later, the counters are forgotten. */
  async during<T>(change: () => Promise<T>): Promise<T> {
    this.#running++;
    clearTimeout(this.#pause);
    try {
      if (!this.#isNoted) await this.#note();
      return await change();
    } catch (error) {
      this.#isDoubtful = true;
      throw error;
    } finally {
      if (--this.#running === 0) this.#pause = setTimeout(() => void this.#settle(), LINGER_MS).unref();
    }
  }

  /** What a change has added; a removal is negative. */
  add(added: Usage): void {
    this.#owed.add(added);
  }

  /** What is not in the counters yet. */
  get owed(): Usage {
    return this.#owed.sum;
  }

  /** Tries to bring the counters up to date. */
  pay(): Promise<void> {
    return this.#inTurn(() => this.#owed.pay());
  }

  /** Replaces the counters by a count in which everything is. @param mark as for the ledger */
  replace(counted: Usage, mark: string | undefined): Promise<boolean> {
    return this.#inTurn(async () => {
      const isReplaced = await this.#ledger.replace(counted, mark);
      if (isReplaced) {
        this.#isDoubtful = false;
        this.#owed.forget();
      }
      return isReplaced;
    });
  }

  /** Writes what is left. No change follows. */
  async close(): Promise<void> {
    clearTimeout(this.#pause);
    await this.#settle();
  }

  /** A failure stops nothing: at worst the figures are wrong. */
  #note(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isNoted) return;
      await this.#ledger.begin();
      this.#isNoted = true;
    }).catch(() => undefined);
  }

  #settle(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#owed.pay();
      const isRight = !this.#isDoubtful && this.#owed.isPaid;
      if (!this.#isNoted || !isRight || this.#running > 0) return;
      // A change that begins now notes itself again, after this.
      this.#isNoted = false;
      await this.#ledger.finish();
    }).catch(() => undefined);
  }

  #inTurn<T>(write: () => Promise<T>): Promise<T> {
    const done = this.#last.then(write);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
