import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createResponseClass } from '../src/http/transport/closing-response.ts';

const MEGABYTE = 1024 * 1024;
const LINGER_MS = 1000;
const CLIENTS = 12;

/** The server's ends of the connections. */
const sockets: Socket[] = [];
const server = http.createServer({ ServerResponse: createResponseClass(LINGER_MS) }, (_request, response) => {
  response.writeHead(404).end();
});
server.on('connection', (socket) => sockets.push(socket));

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => server.close());

test('refused bodies are read at 25 MB a second after 8 MB, on all connections together', async () => {
  const start = performance.now();
  const clients = Array.from({ length: CLIENTS }, flood);
  await Promise.all(clients.map((client) => new Promise((closed) => client.once('close', closed))));
  await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true);
  const seconds = (performance.now() - start) / 1000;
  const total = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0) / MEGABYTE;
  expect(sockets).toHaveLength(CLIENTS);
  // Bytes that arrive between two checks come on top once, and must be recovered.
  expect(total).toBeLessThan(8 + 25 * seconds + 3 * CLIENTS);
});

/** Sends a body that never ends. */
function flood(): Socket {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).resume();
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${1e12}\r\n\r\n`);
  const chunk = Buffer.alloc(MEGABYTE);
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
  return socket;
}
