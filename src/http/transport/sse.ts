import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tooManyRequests, unavailable } from '../../errors.ts';
import type { JobEvent, JobEvents } from '../../jobs/events.ts';

export interface EventStreamsOptions {
  events: JobEvents;
  /** How many clients may listen at once. */
  maxClients: number;
  /** How many of them may be from one address. */
  maxClientsPerAddress: number;
  heartbeatMs: number;
  /** How much may wait for a slow client, in bytes; beyond that, the client is dropped. */
  maxBufferedBytes?: number;
}

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
} as const;

/** Listeners stay for a long time. */
const RETRY_SECONDS = 30;

const MAX_BUFFERED_BYTES = 256 * 1024;

/**
 * Server-sent events: every client gets every event, which is written once for all. A client that reads too slowly is dropped; when
 * it comes back with `Last-Event-ID`, it gets the events that it missed, as far back as they are remembered.
 */
export class EventStreams {
  readonly #options: Required<EventStreamsOptions>;
  /** The answers to all listeners, with the network of each. */
  readonly #clients = new Map<ServerResponse, string>();
  readonly #unsubscribe: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = { maxBufferedBytes: MAX_BUFFERED_BYTES, ...options };
    this.#unsubscribe = options.events.subscribe((event) => this.#tellAll(formatJobEvent(event)));
    const beat = () => this.#tellAll(format('heartbeat', { timestamp: Date.now() }));
    this.#heartbeat = setInterval(beat, options.heartbeatMs).unref();
  }

  /**
   * Begins a stream on a response; it ends when the client leaves, when it is too slow, or with `close`.
   * @param client the network of the request
   * @param extra further headers of the answer
   * @throws HttpProblem 429 when too many of this network listen already; 503 when too many of all do, or after `close`
   */
  open(
    request: IncomingMessage,
    response: ServerResponse,
    client: string,
    extra: NodeJS.Dict<number | string | string[]> = {},
  ): void {
    this.#requirePlace(client);
    const { events } = this.#options;
    // Before the first await or write: later events reach the client through the list.
    const heardId = readLastEventId(request);
    const connectedId = heardId ?? events.lastId();
    this.#clients.set(response, client);
    response.once('close', () => this.#clients.delete(response));
    // A write to a connection that breaks at this moment must not end the process.
    response.on('error', () => this.#clients.delete(response));
    response.writeHead(200, { ...extra, ...HEADERS });
    // It has an id too, so that a client that gets only this event misses nothing when it comes back.
    const missed = heardId === undefined ? [] : events.since(heardId);
    const first = format('connected', { clientId: randomUUID() }, connectedId);
    response.write([first, ...missed.map(formatJobEvent)].join(''));
  }

  /** Ends every stream. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    clearInterval(this.#heartbeat);
    for (const response of this.#clients.keys()) {
      const { socket } = response;
      response.end();
      // Otherwise the connection would be kept alive for another request, and with it the server.
      socket?.destroySoon();
    }
  }

  #requirePlace(client: string): void {
    const { maxClients, maxClientsPerAddress } = this.#options;
    if (this.#isClosed) throw unavailable('The service is stopping.', 'stopping', 5);
    const own = [...this.#clients.values()].filter((other) => other === client);
    if (own.length >= maxClientsPerAddress) {
      const message = `${maxClientsPerAddress} clients of this address listen already (MAX_EVENT_CLIENTS_PER_ADDRESS).`;
      throw tooManyRequests(message, 'too_many_listeners', RETRY_SECONDS);
    }
    if (this.#clients.size >= maxClients) {
      throw unavailable(`${maxClients} clients listen already (MAX_EVENT_CLIENTS).`, 'queue_full', RETRY_SECONDS);
    }
  }

  #tellAll(text: string): void {
    // Encoded once: all clients that wait share these bytes.
    const bytes = Buffer.from(text);
    for (const response of this.#clients.keys()) {
      if (response.writableLength + bytes.length <= this.#options.maxBufferedBytes) response.write(bytes);
      else {
        this.#clients.delete(response);
        response.destroy();
      }
    }
  }
}

function formatJobEvent({ id, type, data }: JobEvent): string {
  return format(type, data, id);
}

/** JSON has no line break, so one `data` line is enough. */
function format(type: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Undefined for a text that cannot be one of our ids. */
function readLastEventId({ headers }: IncomingMessage): number | undefined {
  const header = headers['last-event-id'];
  return typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : undefined;
}
