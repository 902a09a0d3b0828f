import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON, except text. */
  body?: unknown;
}

export interface RecordingServer {
  url: string;
  /** The requests that arrived, the oldest first. */
  received: Received[];
  /** Sets the response to later requests. */
  answer(reply: (request: Received) => Reply): void;
  close(): void;
}

/** Starts an HTTP server that records requests, including headers. It responds with 404 by default. */
export async function startRecording(): Promise<RecordingServer> {
  const received: Received[] = [];
  let reply: (request: Received) => Reply = () => ({ status: 404, body: { error: 'Not found' } });
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const entry = { method, url, headers, body: await buffer(request) };
    received.push(entry);
    const { status = 200, headers: sent = {}, body = '' } = reply(entry);
    response.writeHead(status, sent).end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer(next) {
      reply = next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
