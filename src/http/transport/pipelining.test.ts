import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { answerInOrder } from './pipelining.ts';

const REQUESTS = 100;

test('each request that was sent ahead begins in a turn of the event loop of its own', async () => {
  let turn = 0;
  const counting = { isOver: false };
  const count = () => {
    turn++;
    if (!counting.isOver) setImmediate(count);
  };
  count();
  const turns: number[] = [];
  const answer = answerInOrder((_request, response) => {
    turns.push(turn);
    response.end();
  }, 1000);
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const request = 'GET / HTTP/1.1\r\nHost: a\r\n';
  socket.write(`${`${request}\r\n`.repeat(REQUESTS - 1)}${request}Connection: close\r\n\r\n`);
  const answers = await text(socket);
  counting.isOver = true;
  server.close();
  expect(answers.match(/HTTP\/1.1 200 OK/g)).toHaveLength(REQUESTS);
  // The first one need not wait.
  expect(new Set(turns).size).toBeGreaterThanOrEqual(REQUESTS - 1);
});
