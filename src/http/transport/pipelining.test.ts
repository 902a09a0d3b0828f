import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answerInOrder } from './pipelining.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** The present turn of the event loop. */
let turn: number;
let counting: NodeJS.Immediate;
beforeEach(() => {
  turn = 0;
  const count = () => {
    turn++;
    counting = setImmediate(count);
  };
  count();
});
afterEach(() => clearImmediate(counting));

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, open: () => connect(port, '127.0.0.1') };
}

test('each request that was sent ahead begins in a turn of the event loop of its own', async () => {
  const turns: number[] = [];
  const answer: RequestListener = (_request, response) => {
    turns.push(turn);
    response.end();
  };
  const { server, open } = await serve(answerInOrder(answer, 1000, () => new Set()));
  const socket = open();
  socket.write(REQUEST.repeat(99) + LAST);
  expect((await text(socket)).match(/HTTP\/1.1 200 OK/g)).toHaveLength(100);
  server.close();
  // The first one need not wait.
  expect(new Set(turns).size).toBeGreaterThanOrEqual(99);
});

test('of one client, a turn of the event loop reads one connection with requests that were sent ahead', async () => {
  const held = new Set<Socket>();
  const turnsOf = new Map<Socket, Set<number>>();
  const inOrder = answerInOrder(
    (_request, response) => response.end(),
    10_000,
    () => held,
  );
  const { server, open } = await serve((request, response) => {
    const turns = turnsOf.get(request.socket) ?? new Set();
    turnsOf.set(request.socket, turns.add(turn));
    inOrder(request, response);
  });
  server.on('connection', (socket) => held.add(socket));
  const sockets = Array.from({ length: 8 }, open);
  for (const socket of sockets) socket.write(REQUEST);
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  turnsOf.clear();
  for (const socket of sockets) socket.write(REQUEST.repeat(99) + LAST);
  const answers = await Promise.all(sockets.map((socket) => text(socket)));
  server.close();
  for (const answer of answers) expect(answer.match(/HTTP\/1.1 200 OK/g)).toHaveLength(100);
  const turns = [...turnsOf.values()].flatMap((of) => [...of]);
  expect(turns.length).toBe(new Set(turns).size);
});
