import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Received {
  /** Status line and headers, in lower case. */
  head: string;
  /** Size of the body in bytes. */
  size: number;
}

/**
 * Keep-alive connection for one request after another. Reads only responses with `Content-Length`, which takes a
 * quarter of the CPU of `fetch`: the client shares the host with the service.
 */
export class KeepAliveConnection {
  readonly #socket: Socket;
  #head = '';
  /** Missing bytes of the body. Undefined before the head is complete. */
  #left: number | undefined;
  #response = Promise.withResolvers<Received>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.once('close', () => this.#response.reject(new Error('The service closed the connection.')));
  }

  static async open(url: string): Promise<KeepAliveConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new KeepAliveConnection(socket);
  }

  /** @param headers additional ones, each with its CRLF */
  get(path: string, headers = ''): Promise<Received> {
    return this.#send(`GET ${path}`, headers, []);
  }

  /** @param headers as for `get` */
  post(path: string, headers: string, body: readonly Buffer[]): Promise<Received> {
    const bytes = body.reduce((sum, part) => sum + part.length, 0);
    return this.#send(`POST ${path}`, `${headers}Content-Length: ${bytes}\r\n`, body);
  }

  close(): void {
    // Avoids an unhandled rejection when the socket closes.
    this.#response.promise.catch(() => undefined);
    this.#socket.destroy();
  }

  #send(target: string, headers: string, body: readonly Buffer[]): Promise<Received> {
    this.#response = Promise.withResolvers();
    this.#head = '';
    this.#left = undefined;
    this.#socket.cork();
    this.#socket.write(`${target} HTTP/1.1\r\nHost: bench\r\n${headers}\r\n`);
    for (const part of body) this.#socket.write(part);
    this.#socket.uncork();
    return this.#response.promise;
  }

  #read(chunk: Buffer): void {
    if (this.#left === undefined) {
      const end = chunk.indexOf('\r\n\r\n');
      this.#head += chunk.toString('latin1', 0, end < 0 ? chunk.length : end).toLowerCase();
      if (end < 0) return;
      this.#left = this.#size() - (chunk.length - end - 4);
    } else this.#left -= chunk.length;
    if (this.#left <= 0) this.#response.resolve({ head: this.#head, size: this.#size() });
  }

  #size(): number {
    return Number(/content-length: (\d+)/.exec(this.#head)?.[1]);
  }
}
