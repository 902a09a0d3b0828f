import type { Bus } from '../cluster/cluster.ts';
import { FailureLog, type Log } from '../log.ts';
import { Alarm } from '../runtime/alarm.ts';
import { DeliveryFailure } from './failure.ts';
import type { Batch, Entry, Outbox } from './outbox.ts';

export interface SenderOptions {
  outbox: Outbox;
  target: string;
  /** Tells the target. @throws whatever prevented it; a DeliveryFailure when it is to be told to the operator as it is */
  send(entries: readonly Entry[], signal: AbortSignal): Promise<void>;
  bus: Bus;
  log: Log;
  /** How many entries go with one request. */
  batchSize: number;
  /** How many entries may wait. */
  maxWaiting: number;
  /** How long an entry waits for others to go with it, in milliseconds: for half of this at least. */
  delayMs: number;
  /** How often an entry is tried again before it is given up. */
  retryMax: number;
  /** The wait before the first retry; it doubles with each, to an hour at most. */
  retryDelayMs: number;
  /** Longer than sending takes. */
  leaseMs?: number;
  /** How often the outbox is asked for what others have left, in milliseconds. */
  pollMs?: number;
}

const MAX_DELAY_MS = 3_600_000;
/** While a target fails, it is tried this often at least, and not once for each change. */
const MAX_PAUSE_MS = 60_000;
const TIDY_INTERVAL_MS = 600_000;
/** Entries that were given up are remembered for a week, and this many of them. */
const REMEMBERED = { ageMs: 7 * 86_400_000, max: 1000 };
/** Due times are those of another clock, and nobody is to ask in circles. */
const MIN_WAIT_MS = 5;

/** Sends to one target what the outbox has for it. There may be one such sender in each of several processes. */
export class Sender {
  readonly #options: Required<SenderOptions>;
  /** Attempts of this process since its start, by result. */
  readonly attempts = { received: 0, failed: 0 };
  readonly #alarm = new Alarm();
  readonly #uses: FailureLog;
  readonly #stopping = new AbortController();
  #loop: Promise<void> | undefined;
  #isStopping = false;
  /** The database may not be there when the service starts. */
  #isRevived = false;
  /** When it looks again, by the clock of this process. */
  #wakesAt = Number.POSITIVE_INFINITY;
  #pausedUntil = 0;
  #failuresInARow = 0;

  constructor(options: SenderOptions) {
    this.#options = { leaseMs: 30_000, pollMs: 10_000, ...options };
    const about = options.log.child({ target: options.target });
    this.#uses = new FailureLog(about, { fails: 'the outbox cannot be used', works: 'the outbox can be used again' });
  }

  /** Whatever failed before is tried again: the settings may have been wrong until now. */
  start(): void {
    this.#loop ??= this.#work();
  }

  /** What is under way may end until the deadline. What is not sent stays for others and for the next start. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#isStopping = true;
    this.#alarm.ring();
    const abort = () => this.#stopping.abort(new Error('The service stops.'));
    if (deadline.aborted) abort();
    deadline.addEventListener('abort', abort, { once: true });
    await this.#loop;
    deadline.removeEventListener('abort', abort);
  }

  /** Adds entries, safe when this resolves; false when there is no room for them. */
  async add(payloads: readonly string[]): Promise<boolean> {
    const { outbox, target, delayMs, maxWaiting } = this.#options;
    const isAdded = await outbox.add(target, payloads, { delayMs, max: maxWaiting });
    if (isAdded) this.#announce();
    return isAdded;
  }

  /** One entry in the place of all that wait. */
  async replace(payload: string): Promise<void> {
    const { outbox, target, delayMs } = this.#options;
    await outbox.replace(target, payload, delayMs);
    this.#announce();
  }

  #announce(): void {
    const { bus, target } = this.#options;
    this.#expect();
    void bus.publish({ kind: 'outbox', target });
  }

  /** Something will be due after the delay. */
  #expect(): void {
    if (this.#wakesAt > performance.now() + this.#options.delayMs) this.#alarm.ring();
  }

  async #work(): Promise<void> {
    const { target, bus, pollMs } = this.#options;
    const unsubscribe = bus.subscribe((message) => {
      if (message.kind === 'outbox' && message.target === target) this.#expect();
    });
    const tidying = setInterval(() => void this.#tidy(), TIDY_INTERVAL_MS);
    await this.#tidy();
    while (!this.#isStopping) {
      this.#alarm.arm();
      this.#wakesAt = Number.POSITIVE_INFINITY;
      const waitMs = await this.#turn();
      this.#wakesAt = performance.now() + Math.min(pollMs, waitMs);
      if (waitMs > 0 && !this.#isStopping) await this.#alarm.wait(Math.min(pollMs, waitMs));
    }
    clearInterval(tidying);
    unsubscribe();
  }

  /** Sends one batch, if there is one. Returns how long nothing is to be done, in milliseconds. */
  async #turn(): Promise<number> {
    const { outbox, target, batchSize, leaseMs, delayMs, pollMs } = this.#options;
    const pause = this.#pausedUntil - performance.now();
    if (pause > 0) return pause;
    const claimed = await this.#attempt(async () => {
      if (!this.#isRevived) await outbox.revive(target);
      this.#isRevived = true;
      const batch = await outbox.claim(target, { max: batchSize, leaseMs, aheadMs: delayMs / 2 });
      return { batch, dueIn: batch ? 0 : await outbox.nextDueIn(target) };
    });
    if (!claimed) return pollMs;
    if (!claimed.batch) return Math.max(MIN_WAIT_MS, claimed.dueIn ?? pollMs);
    await this.#deliver(claimed.batch);
    return 0;
  }

  async #deliver(batch: Batch): Promise<void> {
    const { outbox, target, send, log } = this.#options;
    try {
      await send(batch.entries, this.#stopping.signal);
    } catch (error) {
      if (this.#stopping.signal.aborted) await this.#attempt(() => outbox.release(batch));
      else await this.#fail(batch, error);
      return;
    }
    if (this.#failuresInARow > 0) log.info({ target }, 'what was to be sent is received again');
    this.#failuresInARow = 0;
    this.attempts.received++;
    // What could not be removed is sent again when its lease has run out.
    await this.#attempt(() => outbox.delivered(batch));
  }

  async #fail(batch: Batch, error: unknown): Promise<void> {
    const { outbox, target, log, retryMax, retryDelayMs } = this.#options;
    const isKnown = error instanceof DeliveryFailure;
    const reason = isKnown ? error.message : 'an error of the service';
    const asked = (isKnown ? error.retryAfterMs : undefined) ?? 0;
    this.attempts.failed++;
    this.#failuresInARow++;
    const attempts = Math.max(...batch.entries.map((entry) => entry.attempts));
    const retryInMs = Math.max(asked, retryDelay(attempts, retryDelayMs));
    const pauseMs = Math.max(asked, Math.min(MAX_PAUSE_MS, retryDelay(this.#failuresInARow, retryDelayMs)));
    this.#pausedUntil = performance.now() + pauseMs;
    const about = { target, entries: batch.entries.length, attempts, reason, ...(!isKnown && { err: error }) };
    log.warn({ ...about, retryInMs: Math.round(retryInMs) }, 'what was to be sent was not received');
    const givenUp = await this.#attempt(() => outbox.failed(batch, reason, { retryInMs, maxAttempts: retryMax + 1 }));
    if (givenUp) log.error({ target, entries: givenUp, attempts, reason }, 'what was to be sent is given up');
  }

  async #tidy(): Promise<void> {
    const { outbox, target } = this.#options;
    await this.#attempt(() => outbox.forgetFailed(target, REMEMBERED));
  }

  /** Without its database the outbox waits, and the service goes on. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.#uses.succeeded();
      return result;
    } catch (err) {
      this.#uses.failed(err);
      return undefined;
    }
  }
}

/** Doubles with each attempt. Up to half of it is left out, so that nodes that failed together do not come back together. */
function retryDelay(attempts: number, firstMs: number): number {
  return Math.min(MAX_DELAY_MS, firstMs * 2 ** (attempts - 1)) * (0.5 + Math.random() / 2);
}
