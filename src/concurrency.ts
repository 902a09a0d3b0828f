import { unavailable } from './errors.ts';

/** One per caller, also for equal passengers. */
interface Seat<Passenger> {
  passenger: Passenger;
}

interface Flight<T, Passenger> {
  result: Promise<T>;
  abort: AbortController;
  seats: Set<Seat<Passenger>>;
}

/** Work of a flight. `passengers` lists the present callers in order of arrival. */
type Work<T, Passenger> = (signal: AbortSignal, passengers: () => Passenger[]) => Promise<T>;

/** Request coalescing: one piece of work per key for all concurrent callers. */
export class SingleFlight<T, Passenger = undefined> {
  readonly #flights = new Map<string, Flight<T, Passenger>>();

  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /**
   * Joins the work in progress for the key, or starts it. A caller whose signal aborts leaves with that signal's
   * reason; the work is aborted only when the last caller has left.
   */
  async run(
    key: string,
    signal: AbortSignal | undefined,
    work: Work<T, Passenger>,
    ...[passenger]: [Passenger] extends [undefined] ? [] : [passenger: Passenger]
  ): Promise<T> {
    signal?.throwIfAborted();
    const seat = { passenger: passenger as Passenger };
    const flight = this.#flights.get(key) ?? this.#start(key, seat, work);
    flight.seats.add(seat);
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([flight.result, left.promise]);
    } finally {
      signal?.removeEventListener('abort', leave);
      flight.seats.delete(seat);
      if (flight.seats.size === 0) this.#end(key, flight);
    }
  }

  #start(key: string, seat: Seat<Passenger>, work: Work<T, Passenger>): Flight<T, Passenger> {
    const abort = new AbortController();
    const seats = new Set([seat]);
    const result = work(abort.signal, () => Array.from(seats, ({ passenger }) => passenger));
    const flight = { result, abort, seats };
    this.#flights.set(key, flight);
    const land = () => {
      this.#remove(key, flight);
    };
    flight.result.then(land, land);
    return flight;
  }

  /** Without callers, unfinished work is aborted. The next caller starts anew. */
  #end(key: string, flight: Flight<T, Passenger>): void {
    if (this.#remove(key, flight)) flight.abort.abort(new Abandoned());
  }

  /** True if the flight was still in progress. */
  #remove(key: string, flight: Flight<T, Passenger>): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
  }
}

/** Work was aborted because no caller waits for it any more. */
export class Abandoned extends Error {
  override name = 'Abandoned';
  constructor() {
    super('No caller waits for the result any more.');
  }
}

export interface SlotsOptions {
  /** Maximum concurrency. */
  size: number;
  /** Capacity of the queue. */
  maxQueued: number;
  /** Timeout in the queue, in ms. */
  maxWaitMs: number;
  /** Purpose of the slots, for error messages. */
  purpose: string;
}

/** Semaphore with a bounded queue, first come, first served. */
export class Slots {
  readonly #options: SlotsOptions;
  readonly #waiting = new Set<() => void>();
  #used = 0;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  /**
   * Runs the work in a slot.
   * @throws HttpProblem 503 when the queue is full or the wait too long; the signal's reason when it aborts while
   * waiting.
   */
  async use<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    if (this.#used < this.#options.size) this.#used++;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { maxQueued, maxWaitMs, purpose } = this.#options;
    if (this.#waiting.size >= maxQueued) {
      return Promise.reject(unavailable(`The queue for ${purpose} is full (${maxQueued} waiting).`, 'queue_full'));
    }
    return new Promise((resolve, reject) => {
      const settle = (action: () => void) => () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(enter);
        action();
      };
      const enter = settle(resolve);
      const abort = settle(() => reject(signal?.reason));
      const expire = settle(() =>
        reject(unavailable(`Timed out after ${maxWaitMs} ms in the queue for ${purpose}.`, 'overloaded')),
      );
      const timer = setTimeout(expire, maxWaitMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(enter);
    });
  }

  /** Passes the slot to the longest waiting caller. */
  #release(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#used--;
  }
}

/** True if the work ends without an error. */
export async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Lets other due callbacks run. */
export const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Result of `within` after the timeout. */
export const LATE = Symbol('late');

/** Resolves with the result, or with `LATE` after a timeout. @throws the signal's reason when it aborts before */
export async function within<T>(result: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | typeof LATE> {
  signal?.throwIfAborted();
  const end = Promise.withResolvers<typeof LATE>();
  const abort = () => end.reject(signal?.reason);
  const timer = setTimeout(() => end.resolve(LATE), Math.max(0, ms));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([result, end.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Mutex for work with conflicting keys, which runs in order of arrival. */
export class KeyedLock<Key> {
  readonly #conflict: (a: Key, b: Key) => boolean;
  readonly #arrived = new Set<{ keys: readonly Key[]; done: Promise<void> }>();
  #ended = 0;

  constructor(conflict: (a: Key, b: Key) => boolean) {
    this.#conflict = conflict;
  }

  /** Number of completed pieces of work. While it stays the same, no other work has changed anything. */
  get ended(): number {
    return this.#ended;
  }

  /**
   * Runs the work when all earlier work with conflicting keys is done. All keys are taken together, so that nothing
   * deadlocks.
   */
  async run<T>(keys: readonly Key[], work: () => Promise<T>): Promise<T> {
    const earlier = [...this.#arrived].filter((other) =>
      other.keys.some((taken) => keys.some((key) => this.#conflict(taken, key))),
    );
    const { promise: done, resolve: leave } = Promise.withResolvers<void>();
    const mine = { keys, done };
    this.#arrived.add(mine);
    try {
      await Promise.all(earlier.map((other) => other.done));
      return await work();
    } finally {
      this.#arrived.delete(mine);
      this.#ended++;
      leave();
    }
  }
}
