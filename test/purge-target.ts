import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Status of the response, if sent immediately. */
  status?: number;
}

/** A server that stands for a CDN, or for any other receiver of notifications. */
export interface PurgeTarget {
  url: string;
  /** All requests so far. */
  received: Received[];
  /** Resolves once this many requests have arrived. */
  count(requests: number): Promise<Received[]>;
  /** Sets the responses to the next requests; the last one applies to all that follow. */
  answer(...answers: ((response: ServerResponse) => void)[]): void;
  close(): Promise<void>;
}

/** Responds with a status, and a body like Cloudflare's. */
export function status(code: number, headers: Record<string, string> = {}, body = '{"success":true}') {
  return (response: ServerResponse): void => void response.writeHead(code, headers).end(body);
}

export async function startPurgeTarget(port = 0): Promise<PurgeTarget> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let answers: ((response: ServerResponse) => void)[] = [status(200)];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const one: Received = { method, path, headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    for (const look of waiting) look();
    const [next] = answers.length > 1 ? answers.splice(0, 1) : answers;
    next?.(response);
    if (response.headersSent) one.status = response.statusCode;
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    count(requests) {
      const { promise, resolve } = Promise.withResolvers<Received[]>();
      const look = () => {
        if (received.length < requests) return;
        waiting.delete(look);
        resolve(received);
      };
      waiting.add(look);
      look();
      return promise;
    },
    answer(...all) {
      answers = all;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
