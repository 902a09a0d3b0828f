import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { yieldToEventLoop } from '../../concurrency.ts';
import { unavailable } from '../../errors.ts';
import type { JobEventReads } from '../../jobs/events.ts';
import { EventStream, encodeJobEvent, formatEvent, type Listener } from './event-stream.ts';
import type { ListenerSlots } from './listener-slots.ts';
import { ClientLeft } from './send.ts';

export interface EventStreamsOptions {
  events: JobEventReads;
  slots: ListenerSlots;
  heartbeatMs: number;
  /** Maximum of bytes that wait for a slow client; beyond that, the client is dropped. */
  maxBufferedBytes?: number;
  /** Duration of the stream of a reader, in ms; the client reconnects and is checked again. */
  readerStreamMs?: number;
}

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  Connection: 'keep-alive',
  'X-Accel-Buffering': 'no',
} as const;

const MAX_BUFFERED_BYTES = 256 * 1024;

/** The longest time for which a reader whose key or session has ended still receives everything. */
const READER_STREAM_MS = 15 * 60_000;

/** Clients that are sent to between two yields to the event loop: 2 to 3 ms. */
const PIECE_CLIENTS = 100;
/** Maximum of events that wait to be sent to all; beyond that, they are sent without yields. */
const MAX_QUEUED = 100;

/** Returns false when too much waits for the client. */
type Send = (stream: EventStream) => boolean;

/**
 * Server-sent events: every client gets every event, which is encoded once for all. A client that reads too slowly is
 * dropped; when it reconnects with `Last-Event-ID`, it gets the events that it missed, as far back as they are stored.
 * The streams of readers end after a while, so that a client whose key or session has ended reconnects as an anonymous
 * one.
 */
export class EventStreams {
  readonly #options: Required<EventStreamsOptions>;
  readonly #streams = new Map<ServerResponse, EventStream>();
  readonly #unsubscribe: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  /** Events that are not sent to all clients yet, in order. */
  readonly #queue: Send[] = [];
  /** The id of the last event that was sent, or waits to be. */
  #lastId = 0;
  #isClosed = false;

  constructor(options: EventStreamsOptions) {
    this.#options = { maxBufferedBytes: MAX_BUFFERED_BYTES, readerStreamMs: READER_STREAM_MS, ...options };
    this.#unsubscribe = options.events.subscribe((event) => {
      this.#lastId = event.id;
      const encoded = encodeJobEvent(event);
      this.#sendToAll((stream) => stream.notify(encoded));
    });
    const beat = () => {
      const bytes = Buffer.from(formatEvent('heartbeat', { timestamp: Date.now() }));
      this.#sendToAll((stream) => stream.send(bytes));
    };
    this.#heartbeat = setInterval(beat, options.heartbeatMs).unref();
  }

  /**
   * Begins a stream on a response; it ends when the client leaves, when it is too slow, after the time of a reader, or
   * with `close`.
   * @returns begins the response, with further headers
   * @throws HttpProblem 429 and 503 as `ListenerSlots`, and 503 after `close` or when the last event is unknown;
   * ClientLeft
   */
  async open(
    request: IncomingMessage,
    response: ServerResponse,
    listener: Listener,
  ): Promise<(extra: NodeJS.Dict<number | string | string[]>) => void> {
    // A closed response emits no `close` any more, which would occupy its slot forever.
    if (response.destroyed) throw new ClientLeft();
    if (this.#isClosed) throw unavailable('The service is stopping.', 'stopping', 5);
    const stream = new EventStream(response, listener, this.#options.maxBufferedBytes);
    this.#options.slots.take(stream);
    const leave = () => this.#drop(response);
    this.#streams.set(response, stream);
    response.once('close', leave);
    // A write to a connection that breaks at this moment must not end the process.
    response.on('error', leave);
    const heardId = readLastEventId(request);
    try {
      const id = heardId ?? (await this.#options.events.lastId());
      return (extra) => this.#begin(stream, { id, isLast: heardId === undefined }, extra);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Ends every stream. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    clearInterval(this.#heartbeat);
    this.#flush();
    for (const response of this.#streams.keys()) {
      // A stream that has not begun ends as soon as it begins.
      if (!response.headersSent) continue;
      const { socket } = response;
      response.end();
      // Otherwise the connection would stay open for another request, and with it the server.
      socket?.destroySoon();
    }
  }

  #begin(
    stream: EventStream,
    from: { id: number; isLast: boolean },
    extra: NodeJS.Dict<number | string | string[]>,
  ): void {
    const { response } = stream;
    response.writeHead(200, { ...extra, ...HEADERS });
    // It has an id too, so that a client that gets only this event misses nothing when it reconnects.
    response.write(formatEvent('connected', { clientId: randomUUID() }, from.id));
    if (this.#isClosed) {
      response.end();
      return;
    }
    if (!stream.listener.isAnonymous) this.#endInTime(response);
    void stream.catchUp(this.#options.events, from, () => this.#lastId);
  }

  #endInTime(response: ServerResponse): void {
    const end = () => {
      this.#drop(response);
      // A client that does not read would hold the response open.
      if (response.writableNeedDrain) response.destroy();
      else response.end();
    };
    const timer = setTimeout(end, this.#options.readerStreamMs).unref();
    response.once('close', () => clearTimeout(timer));
  }

  /** Sends nothing more to a client, and gives back its slot. */
  #drop(response: ServerResponse): void {
    const stream = this.#streams.get(response);
    if (!stream) return;
    this.#streams.delete(response);
    this.#options.slots.give(stream);
  }

  #sendToAll(send: Send): void {
    this.#queue.push(send);
    if (this.#queue.length === 1) void this.#sendQueued();
    else if (this.#queue.length > MAX_QUEUED) this.#flush();
  }

  /** Sends in pieces. A client that joins meanwhile knows the ids that it has, and skips these events. */
  async #sendQueued(): Promise<void> {
    for (let send = this.#queue[0]; send; send = this.#queue[0]) {
      let clients = 0;
      for (const stream of this.#streams.values()) {
        if (clients > 0 && clients % PIECE_CLIENTS === 0) await yieldToEventLoop();
        // Everything was flushed.
        if (this.#queue[0] !== send) return;
        clients++;
        this.#sendTo(stream, send);
      }
      this.#queue.shift();
    }
  }

  /** Sends everything that waits to all. Each stream skips the events that it has. */
  #flush(): void {
    for (const send of this.#queue.splice(0)) {
      for (const stream of this.#streams.values()) this.#sendTo(stream, send);
    }
  }

  #sendTo(stream: EventStream, send: Send): void {
    const { response } = stream;
    if (!response.headersSent || send(stream)) return;
    this.#drop(response);
    response.destroy();
  }
}

/** Undefined for a text that is not one of this service's ids. */
function readLastEventId({ headers }: IncomingMessage): number | undefined {
  const header = headers['last-event-id'];
  return typeof header === 'string' && /^\d{1,16}$/.test(header) ? Number(header) : undefined;
}
