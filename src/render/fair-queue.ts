import { anonymousPlaces, type Client, reservedPlaces, TRUSTED } from '../client.ts';
import { type HttpProblem, tooManyRequests, unavailable } from '../errors.ts';

export interface FairQueueOptions {
  /** Slots: tasks that run in parallel. */
  size: number;
  /** Most waiting tasks; one more is refused. */
  maxQueued: number;
  /** Most waiting tasks of one network. */
  maxQueuedPerClient: number;
  /** Total waiting time of a task, in ms. */
  maxWaitMs: number;
  /** Purpose of the slots; part of the message of a refusal. */
  purpose: string;
  /** Megabytes of all heavy tasks together. A task that needs more runs as the only heavy one. */
  heavyMegabytes: number;
}

/** A right to a slot, held once or several times; its turn stays the same. */
export interface Ticket {
  readonly number: number;
  /** Clients that wait for the work now. A client that joins brings its own turn. */
  readonly clients: () => Iterable<Client>;
  readonly signal: AbortSignal | undefined;
  /** End of the wait, on the clock of `performance`. */
  readonly deadline: number;
  /** The memory that heavy work needs; undefined while the work counts as light. */
  megabytes: number | undefined;
  isAdmitted: boolean;
  /** True to wait, without limit and uncounted, until no other task waits. */
  readonly isBackground: boolean;
  /** The space that the work is for; empty for the library. */
  readonly space: string;
}

interface Line {
  running: number;
  /** The turn in which the network, or the space, last got a slot. */
  servedAt: number;
}

interface SpaceLine extends Line {
  clients: Map<Client, Line>;
}

interface Candidate {
  ticket: Ticket;
  client: Client;
  space: SpaceLine | undefined;
  line: Line | undefined;
}

const newLine = (): Line => ({ running: 0, servedAt: 0 });

const RETRY_SECONDS = 5;

/** True if a trusted client waits for the work. */
const isTrusted = ({ clients }: Ticket) => [...clients()].includes(TRUSTED);

/** Networks that are remembered without a running or waiting task. */
const MAX_IDLE_LINES = 1000;

/**
 * Gives slots to the waiting spaces round-robin, of which the library is one, and in a space to its waiting networks,
 * regardless of the number of their tasks. While others wait, one space or network holds at most half of the slots. Heavy tasks never hold more than half, so that light ones do not wait for
 * them. Background tasks get a slot only while no other task waits, and never hold more than half: a new task waits for
 * one of them at most.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #half: number;
  readonly #waiting = new Map<Ticket, (client: Client) => void>();
  readonly #background = new Map<Ticket, (client: Client) => void>();
  readonly #spaces = new Map<string, SpaceLine>();
  readonly #heavy = new Set<Ticket>();
  #used = 0;
  #usedInBackground = 0;
  #turn = 0;
  #tickets = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#half = Math.max(1, Math.floor(options.size / 2));
  }

  get used(): number {
    return this.#used;
  }

  get queued(): number {
    return this.#waiting.size;
  }

  ticket(clients: () => Iterable<Client>, signal: AbortSignal | undefined, isBackground = false, space = ''): Ticket {
    const deadline = performance.now() + this.#options.maxWaitMs;
    const state = { megabytes: undefined, isAdmitted: false, isBackground, space };
    return { number: this.#tickets++, clients, signal, deadline, ...state };
  }

  /**
   * Runs the work in a slot.
   * @throws HttpProblem 503 when the queue is full or the wait too long, 429 when too much of one network waits; the
   * signal's reason when it aborts while waiting
   */
  async hold<T>(ticket: Ticket, work: () => Promise<T>): Promise<T> {
    ticket.signal?.throwIfAborted();
    const client = await this.#enter(ticket);
    try {
      return await work();
    } finally {
      this.#leave(ticket, client);
    }
  }

  /** @returns the client whose turn was used */
  #enter(ticket: Ticket): Promise<Client> {
    const { signal } = ticket;
    const { purpose, maxWaitMs } = this.#options;
    const waiting = this.#lineOf(ticket);
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        waiting.delete(ticket);
      };
      const abandon = (reason: unknown) => {
        settle();
        reject(reason);
        this.#serve();
      };
      const abort = () => abandon(signal?.reason);
      waiting.set(ticket, (client) => {
        settle();
        resolve(client);
      });
      this.#serve();
      if (!waiting.has(ticket)) return;
      const refusal = this.#refusal(ticket);
      if (refusal) return abandon(refusal);
      signal?.addEventListener('abort', abort, { once: true });
      if (ticket.isBackground) return;
      const late = unavailable(
        `Timed out after ${maxWaitMs} ms waiting for a slot for ${purpose} (RENDER_QUEUE_WAIT_MS).`,
        'overloaded',
      );
      timer = setTimeout(() => abandon(late), ticket.deadline - performance.now());
    });
  }

  #lineOf({ isBackground }: Ticket): Map<Ticket, (client: Client) => void> {
    return isBackground ? this.#background : this.#waiting;
  }

  /** Returns the error for a ticket that may not wait. One that has had a slot may always wait for another. */
  #refusal(ticket: Ticket): HttpProblem | undefined {
    if (ticket.isAdmitted || ticket.isBackground) return undefined;
    return this.#refusalForAll(ticket) ?? this.#refusalForClient(ticket);
  }

  /** Refuses when the queue is full or the rest of it is reserved for trusted clients. */
  #refusalForAll(ticket: Ticket): HttpProblem | undefined {
    const { maxQueued, purpose } = this.#options;
    const waiting = this.#waiting.size;
    const slots = anonymousPlaces(maxQueued);
    // A queue that is far from full needs no count.
    if (waiting <= Math.min(slots, maxQueued)) return undefined;
    const trusted = this.#waiting.keys().reduce((count, one) => count + Number(isTrusted(one)), 0);
    if (isTrusted(ticket) && (waiting <= maxQueued || trusted <= reservedPlaces(maxQueued))) return undefined;
    if (waiting > maxQueued) {
      const message = `The queue for ${purpose} is full: ${maxQueued} requests wait (RENDER_QUEUE_MAX).`;
      return unavailable(message, 'queue_full', RETRY_SECONDS);
    }
    if (waiting - trusted <= slots) return undefined;
    const message = `The queue for ${purpose} is full for clients without a key or a session: ${slots} of their requests wait. Its other slots are reserved (RENDER_QUEUE_MAX is ${maxQueued}).`;
    return unavailable(message, 'queue_full', RETRY_SECONDS);
  }

  #refusalForClient({ clients }: Ticket): HttpProblem | undefined {
    const { maxQueuedPerClient, purpose } = this.#options;
    const [client] = clients();
    if (client === undefined || client === TRUSTED || this.#waiting.size <= maxQueuedPerClient) return undefined;
    const own = this.#waiting.keys().filter((ticket) => {
      const [first] = ticket.clients();
      return first === client;
    });
    if ([...own].length <= maxQueuedPerClient) return undefined;
    const message = `${maxQueuedPerClient} requests of this address wait for ${purpose} already (RENDER_QUEUE_MAX_PER_CLIENT).`;
    return tooManyRequests(message, 'too_much_work', RETRY_SECONDS);
  }

  #serve(): void {
    while (this.#used < this.#options.size) {
      const next = this.#next();
      if (!next) break;
      const { ticket, client, space = { ...newLine(), clients: new Map() }, line = newLine() } = next;
      this.#spaces.set(ticket.space, space);
      space.clients.set(client, line);
      const servedAt = ++this.#turn;
      for (const served of [space, line]) {
        served.running++;
        served.servedAt = servedAt;
      }
      this.#used++;
      if (ticket.megabytes !== undefined) this.#heavy.add(ticket);
      ticket.isAdmitted = true;
      this.#waiting.get(ticket)?.(client);
    }
    while (this.#waiting.size === 0 && this.#used < this.#options.size && this.#usedInBackground < this.#half) {
      const ticket = this.#background.keys().find((one) => one.megabytes === undefined || this.#fits(one));
      if (!ticket) return;
      this.#used++;
      this.#usedInBackground++;
      if (ticket.megabytes !== undefined) this.#heavy.add(ticket);
      this.#background.get(ticket)?.(TRUSTED);
    }
  }

  #leave(ticket: Ticket, client: Client): void {
    const space = ticket.isBackground ? undefined : this.#spaces.get(ticket.space);
    const line = space?.clients.get(client);
    if (space) space.running--;
    if (line) line.running--;
    if (ticket.isBackground) this.#usedInBackground--;
    this.#heavy.delete(ticket);
    this.#used--;
    this.#serve();
    const lines = this.#spaces.values().reduce((sum, { clients }) => sum + clients.size, 0);
    if (this.#waiting.size === 0 || lines >= MAX_IDLE_LINES) this.#removeIdleLines();
  }

  #removeIdleLines(): void {
    for (const [space, { running, clients }] of this.#spaces) {
      for (const [client, line] of clients) if (line.running === 0) clients.delete(client);
      if (running === 0) this.#spaces.delete(space);
    }
  }

  /**
   * Returns the next ticket. Only the first heavy task may start, so that smaller ones do not overtake a large one
   * forever.
   */
  #next(): Candidate | undefined {
    let light: Candidate | undefined;
    let heavy: Candidate | undefined;
    for (const ticket of this.#waiting.keys()) {
      const space = this.#spaces.get(ticket.space);
      for (const client of ticket.clients()) {
        const candidate: Candidate = { ticket, client, space, line: space?.clients.get(client) };
        if (ticket.megabytes === undefined) light = this.#earlier(light, candidate);
        else heavy = this.#earlier(heavy, candidate);
      }
    }
    return heavy && this.#fits(heavy.ticket) ? this.#earlier(light, heavy) : light;
  }

  #earlier(one: Candidate | undefined, other: Candidate): Candidate {
    if (!one) return other;
    const lead =
      this.#lead(one.space, other.space) || this.#lead(one.line, other.line) || other.ticket.number - one.ticket.number;
    return lead >= 0 ? one : other;
  }

  /** Positive if the first comes before the second, which holds half of the slots or was served later. */
  #lead(one: Line | undefined, other: Line | undefined): number {
    const holdsHalf = (line: Line | undefined) => Number((line?.running ?? 0) >= this.#half);
    return holdsHalf(other) - holdsHalf(one) || (other?.servedAt ?? 0) - (one?.servedAt ?? 0);
  }

  #fits({ megabytes = 0 }: Ticket): boolean {
    const held = this.#heavy.values().reduce((sum, ticket) => sum + (ticket.megabytes ?? 0), 0);
    if (this.#heavy.size === 0) return true;
    return this.#heavy.size < this.#half && held + megabytes <= this.#options.heavyMegabytes;
  }
}
