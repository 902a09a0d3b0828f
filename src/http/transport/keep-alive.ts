import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Seconds for which a connection waits for its next request, as announced in `Keep-Alive`. */
const KEEP_ALIVE_SECONDS = 65;

/** Time that a connection waits beyond the announced one, so that a client's last request is not reset. */
const GRACE_MS = 1000;

const SWEEP_INTERVAL_MS = 1000;

/** The value of `Keep-Alive`. Node writes the header only if it sets its own timers, twice for each request. */
export const KEEP_ALIVE = `timeout=${KEEP_ALIVE_SECONDS}`;

/** True if the client keeps the connection open after the response (RFC 9112, 9.3). */
export function isPersistent({ httpVersionMajor, httpVersionMinor, headers }: IncomingMessage): boolean {
  const { connection } = headers;
  const isDefault = httpVersionMajor === 1 && httpVersionMinor >= 1;
  if (connection === undefined) return isDefault;
  return isDefault ? !/\bclose\b/i.test(connection) : /\bkeep-alive\b/i.test(connection);
}

export interface IdleLimits {
  /** Longest time without a byte while a response is due, in ms. */
  timeoutMs: number;
  /** True while a response on this connection is not complete. */
  isAnswering(socket: Socket): boolean;
}

/**
 * Closes connections on which no byte has moved for too long. One sweep a second over all connections replaces the
 * timers that Node sets twice for each request; for a response from memory these were a tenth of the work. A connection
 * may live a second longer.
 */
export function closeIdleConnections(server: Server, limits: IdleLimits): void {
  server.timeout = 0;
  server.keepAliveTimeout = 0;
  const connections = new Set<Connection>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const connection of connections) connection.check(now);
  }, SWEEP_INTERVAL_MS).unref();
  server.once('close', () => clearInterval(sweep));
  server.on('connection', (socket: Socket) => {
    const connection = new Connection(socket, limits);
    connections.add(connection);
    socket.once('close', () => connections.delete(connection));
  });
}

class Connection {
  readonly #socket: Socket;
  readonly #limits: IdleLimits;
  /** Bytes received and sent by the last sweep. */
  #moved = 0;
  #movedAt = performance.now();
  #hasTimer = false;

  constructor(socket: Socket, limits: IdleLimits) {
    this.#socket = socket;
    this.#limits = limits;
  }

  check(now: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    const isSending = writableLength > 0;
    this.#setTimer(isSending);
    const moved = bytesRead + bytesWritten;
    if (isSending || moved !== this.#moved) {
      this.#moved = moved;
      this.#movedAt = now;
    } else if (now - this.#movedAt >= this.#limitMs(bytesWritten)) {
      this.#socket.destroy();
    }
  }

  /**
   * Starts or stops the socket's own timer: only that notices how much of a large write the client has taken. The
   * counters count such a write in one step.
   */
  #setTimer(isSending: boolean): void {
    if (isSending === this.#hasTimer) return;
    this.#hasTimer = isSending;
    // Node destroys a connection whose timer fires.
    this.#socket.setTimeout(isSending ? this.#limits.timeoutMs : 0);
  }

  #limitMs(bytesWritten: number): number {
    const isBetweenRequests = bytesWritten > 0 && !this.#limits.isAnswering(this.#socket);
    return isBetweenRequests ? KEEP_ALIVE_SECONDS * 1000 + GRACE_MS : this.#limits.timeoutMs;
  }
}
