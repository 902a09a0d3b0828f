import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A connection may live longer than its limit by as much. */
const CHECK_INTERVAL_MS = 1000;

/**
 * Looks at all connections now and then, and tells those of their timeout on which nothing has moved for too long. Node sets a
 * timer twice for each request, once to wait for the answer and once to wait for the next request. For an answer from memory that
 * is a tenth of the work.
 */
export function watchIdleSockets(server: Server): void {
  const watched = new Set<WatchedSocket>();
  const checks = setInterval(() => {
    const now = performance.now();
    for (const socket of watched) socket.check(now);
  }, CHECK_INTERVAL_MS).unref();
  server.once('close', () => clearInterval(checks));
  server.on('connection', (socket: Socket) => {
    const one = new WatchedSocket(socket);
    watched.add(one);
    socket.once('close', () => watched.delete(one));
  });
}

class WatchedSocket {
  readonly #socket: Socket;
  /** Sets Node's own timer. */
  readonly #setTimer: Socket['setTimeout'];
  #hasTimer = false;
  /** How long nothing may move, in milliseconds. 0: for ever. */
  #limitMs: number;
  /** What had come and what had been written at the last look, in bytes. */
  #moved = 0;
  /** Since when nothing has moved. */
  #since = performance.now();

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#limitMs = socket.timeout ?? 0;
    this.#setTimer = socket.setTimeout.bind(socket);
    this.#setTimer(0);
    socket.setTimeout = (limitMs, onTimeout) => {
      if (onTimeout) socket.once('timeout', onTimeout);
      this.#limitMs = limitMs;
      if (this.#hasTimer) this.#setTimer(limitMs);
      return socket;
    };
  }

  check(now: number): void {
    const { bytesRead, bytesWritten, writableLength } = this.#socket;
    // Only Node's own timer sees how much of a large write the client has taken.
    const needsTimer = writableLength > 0;
    if (needsTimer !== this.#hasTimer) this.#setTimer(needsTimer ? this.#limitMs : 0);
    this.#hasTimer = needsTimer;
    const moved = bytesRead + bytesWritten;
    if (needsTimer || moved !== this.#moved) {
      this.#moved = moved;
      this.#since = now;
    } else if (this.#limitMs > 0 && now - this.#since >= this.#limitMs) {
      this.#since = now;
      this.#socket.emit('timeout');
    }
  }
}
