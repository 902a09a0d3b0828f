import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** Failure of one request. */
export type Fault =
  /** The proxy responds instead of the store. */
  | { status: number; code: string }
  /** The same, with an XML body computed from that of the request. */
  | { answer: (body: string) => Promise<string> }
  /** The store responds, and the proxy changes the body. */
  | { rewrite: (body: string) => string }
  /** The response begins, and the connection is reset after this many bytes of its body. */
  | { resetAfter: number }
  /** The response begins, and after this many bytes of its body the rest waits. */
  | { holdAfter: number; until: Promise<unknown> }
  /** The store executes the request, and its response is lost. */
  | 'lost answer'
  /** The connection is reset before any data reaches the store. */
  | 'reset'
  /** There is never a response. */
  | 'silence'
  | { delayMs: number }
  | { delayUntil: Promise<unknown> }
  /** The store executes the request, and its response waits. */
  | { answerAfter: Promise<unknown> };

export interface S3Proxy {
  endpoint: string;
  /** Every request so far: `GET originals/a.jpg`, `LIST originals/`, `DELETE-MANY`. */
  requests: string[];
  /** Called for every request; undefined lets it through. */
  fault: ((request: string, n: number) => Fault | undefined) | undefined;
  /** Returns the number of open client connections. */
  connections(): number;
  /** Refuses and cuts all connections, until it is called again. */
  setDown(isDown: boolean): void;
  close(): Promise<void>;
}

/** Starts a proxy between a client and a store that records requests and makes them fail. */
export async function startProxy(endpoint: string): Promise<S3Proxy> {
  const { hostname, port } = new URL(endpoint);
  const agent = new http.Agent({ keepAlive: true });
  const sockets = new Set<import('node:net').Socket>();
  let isDown = false;

  const server = http.createServer((request, response) => {
    const what = describe(request);
    const count = proxy.requests.push(what);
    const fault = proxy.fault?.(what, count);
    if (fault === undefined) return forward(request, response);
    if (fault === 'silence') {
      request.resume();
      return;
    }
    if (fault === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    if (fault === 'lost answer') return forward(request, response, -1);
    if ('answer' in fault) {
      void answerInstead(request, response, fault.answer);
      return;
    }
    if ('rewrite' in fault) return forwardRewritten(request, response, fault.rewrite);
    if ('delayMs' in fault) {
      setTimeout(() => forward(request, response), fault.delayMs);
      return;
    }
    if ('delayUntil' in fault) {
      void fault.delayUntil.then(() => forward(request, response));
      return;
    }
    if ('answerAfter' in fault) return forward(request, response, undefined, undefined, fault.answerAfter);
    if ('holdAfter' in fault) return forward(request, response, undefined, fault);
    if ('resetAfter' in fault) return forward(request, response, fault.resetAfter);
    request.resume();
    response.writeHead(fault.status, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>as the test has it</Message></Error>`);
  });

  function forward(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    resetAfter?: number,
    hold?: Extract<Fault, { holdAfter: number }>,
    answerAfter?: Promise<unknown>,
  ): void {
    const { method, url: path, headers } = request;
    const upstream = http.request({ hostname, port, method, path, headers, agent });
    request.pipe(upstream);
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    upstream.on('response', async (answer) => {
      await answerAfter;
      answer.on('error', () => response.destroy());
      if (resetAfter === -1) {
        answer.resume().on('end', () => request.socket.resetAndDestroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      if (hold) {
        Readable.from(holding(answer, hold)).pipe(response);
        return;
      }
      if (resetAfter === undefined) {
        answer.pipe(response);
        return;
      }
      let left = resetAfter;
      answer.on('data', (chunk: Buffer) => {
        response.write(chunk.subarray(0, Math.max(0, left)), () => left <= 0 && request.socket.resetAndDestroy());
        left -= chunk.length;
      });
      answer.on('end', () => response.end());
    });
  }

  function forwardRewritten(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    rewrite: (body: string) => string,
  ): void {
    const { method, url: path, headers } = request;
    const upstream = http.request({ hostname, port, method, path, headers, agent });
    request.pipe(upstream);
    upstream.on('error', () => response.destroy());
    upstream.on('response', async (answer) => {
      const body = rewrite(await text(answer));
      const { 'content-length': _, 'transfer-encoding': __, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 0, { ...rest, 'content-length': Buffer.byteLength(body) }).end(body);
    });
  }

  server.on('connection', (socket) => {
    if (isDown) socket.resetAndDestroy();
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: S3Proxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    fault: undefined,
    connections: () => sockets.size,
    setDown(down) {
      isDown = down;
      if (down) for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
  return proxy;
}

async function answerInstead(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  answer: (body: string) => Promise<string>,
): Promise<void> {
  const body = await answer(await text(request));
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${body}`);
}

async function* holding(
  answer: AsyncIterable<Buffer>,
  { holdAfter, until }: Extract<Fault, { holdAfter: number }>,
): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const chunk of answer) {
    if (sent >= holdAfter) await until;
    yield chunk;
    sent += chunk.length;
  }
}

function describe({ method = '', url = '' }: http.IncomingMessage): string {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const key = decodeURIComponent(pathname.split('/').slice(2).join('/'));
  if (searchParams.has('list-type')) return `LIST ${searchParams.get('prefix') ?? ''}`;
  if (searchParams.has('delete')) return 'DELETE-MANY';
  if (searchParams.has('uploads')) return method === 'GET' ? 'LIST-UPLOADS' : `BEGIN ${key}`;
  if (searchParams.has('partNumber')) return `PART ${key}`;
  if (searchParams.has('uploadId')) return method === 'POST' ? `COMPLETE ${key}` : `ABORT ${key}`;
  return `${method} ${key}`;
}
