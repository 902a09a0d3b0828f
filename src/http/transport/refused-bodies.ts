import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Refused bodies of all connections together are read at this rate, after a burst. Each chunk takes memory until it is collected, so
 * that many clients who go on sending would keep the garbage collector busy, and everybody else waiting.
 */
const BYTES_PER_SECOND = 25 * 1024 * 1024;
const BURST_BYTES = 8 * 1024 * 1024;
const INTERVAL_MS = 20;

/**
 * A request may be answered before its body has arrived, for example with 401. A connection can only be kept for the next request
 * when this body has been read to its end, and a client can delay that for ever. So such an answer is the last of its connection.
 *
 * The rest of the body is read and dropped, for `lingerMs` at most: closing at once would reset the connection, and a client
 * that is still sending might never see the answer.
 */
export function closeAfterRefusal(request: IncomingMessage, response: ServerResponse, lingerMs: number): void {
  const { socket } = request;
  const writeHead = response.writeHead;
  response.writeHead = ((...head: Parameters<typeof writeHead>) => {
    if (!request.complete) {
      response.setHeader('Connection', 'close');
      response.removeHeader('Keep-Alive');
      socket.destroySoon = () => linger(request, lingerMs);
    }
    return writeHead.apply(response, head);
  }) as typeof writeHead;
}

/** Whether a request has a body, which may still be arriving. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

function linger(request: IncomingMessage, lingerMs: number): void {
  const { socket } = request;
  const close = () => socket.destroy();
  const timer = setTimeout(close, lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.end();
  if (request.complete) {
    close();
    return;
  }
  refusedBodies.add(socket);
  request.once('end', close).resume();
}

/** Reads refused bodies no faster than `BYTES_PER_SECOND`. Node drops what it reads of them. */
class RefusedBodies {
  /** The bytes of each connection that are accounted for. */
  readonly #accounted = new Map<Socket, number>();
  #budget = BURST_BYTES;
  #refilledAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  add(socket: Socket): void {
    this.#accounted.set(socket, socket.bytesRead);
    this.#timer ??= setInterval(() => this.#share(), INTERVAL_MS);
    socket.once('close', () => {
      this.#account(socket);
      this.#accounted.delete(socket);
      if (this.#accounted.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  /** What was read too much in one interval delays the next. */
  #share(): void {
    const now = performance.now();
    const refill = ((now - this.#refilledAt) / 1000) * BYTES_PER_SECOND;
    this.#budget = Math.min(BURST_BYTES, this.#budget + refill);
    this.#refilledAt = now;
    for (const socket of this.#accounted.keys()) this.#account(socket);
    for (const socket of this.#accounted.keys()) {
      if (this.#budget > 0) socket.resume();
      else socket.pause();
    }
  }

  #account(socket: Socket): void {
    this.#budget -= socket.bytesRead - (this.#accounted.get(socket) ?? 0);
    this.#accounted.set(socket, socket.bytesRead);
  }
}

const refusedBodies = new RefusedBodies();
