import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { http } from '../../runtime/node-http.ts';

/**
 * Read rate for refused bodies of all connections together, after a burst. Each chunk takes memory until it is
 * collected, hence numerous clients that continue to send would occupy the garbage collector and delay all others.
 */
const BYTES_PER_SECOND = 25 * 1024 * 1024;
const BURST_BYTES = 8 * 1024 * 1024;
const INTERVAL_MS = 20;

/** Time when a response was complete except for the body of its request, by `performance.now`. */
const completed = new WeakMap<ServerResponse, number>();

/** Time when the last byte of a response was written, where its connection stays open to read the rest of a body. */
export function completedAt(response: ServerResponse): number | undefined {
  return completed.get(response);
}

/**
 * Creates the class of responses that may precede the body of their request, such as a 401. A connection can only be
 * reused when this body has been read to its end, which a client can delay forever. So such a response is the last of
 * its connection.
 *
 * The rest of the body is read and dropped, for `lingerMs` at most. Closing immediately would reset the connection, and
 * a client that is still sending might never see the response.
 */
export function createResponseClass(lingerMs: number) {
  return class ClosingResponse<Request extends IncomingMessage = IncomingMessage> extends http.ServerResponse<Request> {
    override writeHead(...head: unknown[]): this {
      if (isBodyArriving(this.req)) {
        this.setHeader('Connection', 'close');
        this.removeHeader('Keep-Alive');
        // The end of the connection ends a body without a length: Node would send the last chunk only after the
        // request's body.
        this.removeHeader('Transfer-Encoding');
      }
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }

    override end(...last: unknown[]): this {
      const { req, socket } = this;
      if (socket === null || !isBodyArriving(req)) return super.end(...(last as Parameters<ServerResponse['end']>));
      if (completed.has(this)) return this;
      this.#writeLast(last);
      // Node closes the connection at the real end of the response.
      socket.end();
      completed.set(this, performance.now());
      drain(req, lingerMs, () => super.end());
      return this;
    }

    /** @param last the arguments of `end`: a chunk, its encoding and a callback, each of which may be missing */
    #writeLast(last: readonly unknown[]): void {
      const callback = last.find((argument) => typeof argument === 'function');
      if (callback) this.once('finish', callback as () => void);
      const [chunk, encoding] = last as [string | Uint8Array | undefined, unknown];
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
        if (!this.headersSent) this.setHeader('Content-Length', Buffer.byteLength(chunk));
        this.write(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
      }
      // HEAD ignores what is written.
      this.flushHeaders();
    }
  };
}

function isBodyArriving(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Reads and drops the rest of a body. @param complete called when the body or the time is over */
function drain(request: IncomingMessage, lingerMs: number, complete: () => void): void {
  const { socket } = request;
  const timer = setTimeout(() => {
    complete();
    socket.destroy();
  }, lingerMs);
  socket.once('close', () => clearTimeout(timer));
  refusedBodies.add(socket);
  request.once('end', () => (socket.writableFinished ? complete() : socket.once('finish', complete)));
  request.resume();
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

  /** Bytes read in excess in one interval delay the next. */
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
