import { unavailable } from './errors.ts';

/** One for each who is aboard, also where two are called the same. */
interface Seat<Passenger> {
  passenger: Passenger;
}

interface Flight<T, Passenger> {
  result: Promise<T>;
  abort: AbortController;
  seats: Set<Seat<Passenger>>;
}

/** The work of a flight; it can look who is aboard at any moment, in the order of boarding. */
type Work<T, Passenger> = (signal: AbortSignal, passengers: () => Passenger[]) => Promise<T>;

/** One piece of work per key, however many ask for it at the same time. */
export class SingleFlight<T, Passenger = undefined> {
  readonly #flights = new Map<string, Flight<T, Passenger>>();

  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /**
   * Joins the work under way for the key, or starts it. A caller whose signal aborts leaves with that signal's reason;
   * the work is aborted only when the last one has left.
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
    const land = () => void this.#remove(key, flight);
    flight.result.then(land, land);
    return flight;
  }

  /** Everybody is gone: work that has not landed stops, and whoever comes now starts anew. */
  #end(key: string, flight: Flight<T, Passenger>): void {
    if (this.#remove(key, flight)) flight.abort.abort(new Abandoned());
  }

  /** Whether the flight was still under way. */
  #remove(key: string, flight: Flight<T, Passenger>): boolean {
    return this.#flights.get(key) === flight && this.#flights.delete(key);
  }
}

/** Why work was stopped: nobody waits for it any more. */
export class Abandoned extends Error {
  override name = 'Abandoned';
  constructor() {
    super('Nobody waits for the result any more.');
  }
}

export interface SlotsOptions {
  /** How many pieces of work run at once. */
  size: number;
  /** How many may wait; one more is refused. */
  maxQueued: number;
  /** How long one may wait, in milliseconds. */
  maxWaitMs: number;
  /** What the slots are for, in the message of a refusal. */
  purpose: string;
}

/** A limited number of places with a bounded queue, first come, first served. */
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
   * Runs the work in a place of its own.
   * @throws HttpProblem 503 when the queue is full or the wait too long; the signal's reason when it aborts while waiting.
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
      return Promise.reject(
        unavailable(`All places for ${purpose} are taken and ${maxQueued} requests wait already.`, 'queue_full'),
      );
    }
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(enter);
        act();
      };
      const enter = settle(resolve);
      const abort = settle(() => reject(signal?.reason));
      const expire = settle(() =>
        reject(unavailable(`No place for ${purpose} came free within ${maxWaitMs} ms.`, 'overloaded')),
      );
      const timer = setTimeout(expire, maxWaitMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(enter);
    });
  }

  /** Hands the place to whoever waits longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#used--;
  }
}

/** Whether work ends without an error. */
export async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Lets everything else run that is due. */
export const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What a wait ends with that has come to its end. */
export const LATE = Symbol('late');

/** The result, or `LATE` after so many milliseconds. @throws the signal's reason when it aborts before */
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

/** Excludes work from running together that would touch the same things; such work runs in the order of its arrival. */
export class KeyedLock<Key> {
  readonly #conflict: (one: Key, other: Key) => boolean;
  readonly #arrived = new Set<{ keys: readonly Key[]; done: Promise<void> }>();
  #ended = 0;

  constructor(conflict: (one: Key, other: Key) => boolean) {
    this.#conflict = conflict;
  }

  /** How many pieces of work have ended: as long as it stays the same, nothing has changed for whoever is inside. */
  get ended(): number {
    return this.#ended;
  }

  /** Runs the work when all earlier work is done whose keys conflict with these. It takes all its keys at once, so that nothing deadlocks. */
  async run<T>(keys: readonly Key[], work: () => Promise<T>): Promise<T> {
    const earlier = [...this.#arrived].filter((other) =>
      other.keys.some((one) => keys.some((key) => this.#conflict(one, key))),
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
