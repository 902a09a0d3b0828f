import { once } from 'node:events';
import http, { type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { completedAt, createResponseClass } from './closing-response.ts';

const LINGER_MS = 60_000;
const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function listen(listener: RequestListener, lingerMs = LINGER_MS): Promise<number> {
  server = http.createServer({ ServerResponse: createResponseClass(lingerMs), keepAliveTimeout: 0 }, listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Sends half of a body, reads the whole response, then sends the rest. @returns the response */
async function exchange(listener: RequestListener, head = HEAD): Promise<string> {
  const socket = connect({ port: await listen(listener), host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    received += text;
  });
  const ended = once(socket, 'end');
  socket.write(`${head}12345`);
  await ended;
  const finished = once(server, 'connectionClosed');
  socket.write('67890');
  await finished;
  return received;
}

/** The listener of a test; `connectionClosed` is emitted once the server has closed the connection. */
const observed =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    request.socket.once('close', () => server.emit('connectionClosed'));
    listener(request, response);
  };

describe('a response before the body of its request', () => {
  test.each<[string, RequestListener, string]>([
    ['a text at once', (_, response) => void response.writeHead(401, { 'Content-Length': 2 }).end('no'), 'no'],
    ['a text without its length', (_, response) => void response.end('no'), 'no'],
    ['a text in pieces', (_, response) => void response.write('n', () => response.end('o')), 'no'],
    ['no text', (_, response) => void response.writeHead(204).end(), ''],
    ['a stream', (_, response) => void new PassThrough().end('stream').pipe(response), 'stream'],
  ])('reaches the client as %s, closes the connection and is complete after the body', async (_, listener, body) => {
    const finished = Promise.withResolvers<boolean>();
    const answer = await exchange(
      observed((request, response) => {
        response.once('finish', () => finished.resolve(request.complete && completedAt(response) !== undefined));
        listener(request, response);
      }),
    );
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer.split('\r\n\r\n')[1]).toBe(body);
    expect(await finished.promise).toBe(true);
  });

  test('has no body for HEAD', async () => {
    const answer = await exchange(
      observed((_, response) => void response.writeHead(200, { 'Content-Length': 2 }).end('no')),
      HEAD.replace('POST', 'HEAD'),
    );
    expect(answer).toMatch(/\r\n\r\n$/);
  });

  test('closes the connection of a client that never sends the rest', async () => {
    const port = await listen((_, response) => void response.end('no'), 50);
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume();
    socket.write(HEAD);
    await once(socket, 'end');
    socket.on('error', () => undefined);
    // A write to the closed connection shows that it is closed.
    const writing = setInterval(() => socket.write('1'), 20);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(writing);
  });
});

test('a response after the body of its request leaves the connection open', async () => {
  const port = await listen((request, response) => void request.resume().once('end', () => response.end('yes')));
  const socket = connect(port, '127.0.0.1');
  for (let n = 0; n < 2; n++) {
    socket.write(`${HEAD}1234567890`);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/connection: keep-alive/i);
  }
  socket.destroy();
});
