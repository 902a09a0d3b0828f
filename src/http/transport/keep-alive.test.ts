import { once } from 'node:events';
import http, { type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { closeIdleConnections } from './keep-alive.ts';
import { answerInOrder, isAnswering } from './pipelining.ts';

const TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 65_000;
/** More than the kernel takes in one write. */
const LARGE_BYTES = 16 * 1024 * 1024;
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let server: Server | undefined;
let client: Socket;
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(async () => {
  vi.useRealTimers();
  client.destroy();
  server?.closeAllConnections();
  await new Promise((closed) => server?.close(closed));
});

/** Starts a server that watches its connections, and opens one connection to it. */
async function connected(listener: RequestListener, timeoutMs = TIMEOUT_MS): Promise<Socket> {
  server = http.createServer(answerInOrder(listener, 10, () => new Set()));
  closeIdleConnections(server, { timeoutMs, isAnswering });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  const [[taken]] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
  return taken;
}

/** Resolves when the response has arrived and the connection waits for its next request. */
async function ask(): Promise<void> {
  const requested = once(server as Server, 'request');
  const answered = once(client, 'data');
  client.write(REQUEST);
  const [, response] = await requested;
  if (!response.writableFinished) await once(response, 'finish');
  await answered;
}

test('a connection that waits for its next request is closed after the time to keep it alive, and a second at most', async () => {
  const taken = await connected((_request, response) => void response.end('.'));
  await ask();
  vi.advanceTimersByTime(20_000);
  await ask();
  vi.advanceTimersByTime(KEEP_ALIVE_MS - 1000);
  expect(taken.destroyed).toBe(false);
  // Node waits for a second longer than it announces.
  vi.advanceTimersByTime(3000);
  expect(taken.destroyed).toBe(true);
});

test('a connection that waits for an answer has the longer time', async () => {
  const taken = await connected(() => undefined);
  const requested = once(server as Server, 'request');
  client.write(REQUEST);
  await requested;
  vi.advanceTimersByTime(KEEP_ALIVE_MS + 10_000);
  expect(taken.destroyed).toBe(false);
  vi.advanceTimersByTime(TIMEOUT_MS - KEEP_ALIVE_MS);
  expect(taken.destroyed).toBe(true);
});

test('a connection on which a body comes in pieces is not closed', async () => {
  const taken = await connected((request, response) => void request.resume().on('end', () => response.end('.')));
  client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n');
  for (let piece = 0; piece < 5; piece++) {
    const before = taken.bytesRead;
    client.write('x');
    await vi.waitUntil(() => taken.bytesRead > before);
    vi.advanceTimersByTime(TIMEOUT_MS - 2000);
  }
  expect(taken.destroyed).toBe(false);
});

test('a connection whose client takes nothing of an answer is closed', async () => {
  const taken = await connected((_request, response) => void response.end(Buffer.alloc(LARGE_BYTES)), 500);
  client.pause();
  client.write(REQUEST);
  await vi.waitUntil(() => taken.writableLength > 0);
  vi.advanceTimersByTime(1000);
  // Node's own timer, a real one, sees the bytes that the client takes.
  await once(taken, 'close');
});

test('a connection whose client takes an answer slowly is not closed', async () => {
  await connected((_request, response) => void response.end(Buffer.alloc(LARGE_BYTES)));
  client.pause();
  client.write(REQUEST);
  while (client.bytesRead < LARGE_BYTES) {
    client.resume();
    await once(client, 'data');
    client.pause();
    vi.advanceTimersByTime(2 * TIMEOUT_MS);
  }
});
