import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

let service: TestService;
const opened: Socket[] = [];
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  await service.close();
});

async function open(count: number, localAddress = '127.0.0.1'): Promise<Socket[]> {
  const { port } = new URL(service.url);
  const sockets = Array.from({ length: count }, () =>
    connect({ port: Number(port), host: '127.0.0.1', localAddress }).on('error', () => undefined),
  );
  opened.push(...sockets);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

/** Returns the status of a response over a new connection; 0 if it is cut. */
async function statusFor(localAddress: string): Promise<number> {
  const request = http.get(`${service.url}/livez`, { localAddress, agent: false });
  return new Promise((resolve) => {
    request.once('response', (response) => resolve(response.resume().statusCode ?? 0)).once('error', () => resolve(0));
  });
}

const isOpen = (socket: Socket) => !socket.destroyed && !socket.readableEnded;

describe('silent connections of one client', () => {
  test('keep neither others out nor itself, though they are as many as MAX_CONNECTIONS', async () => {
    service = await startService({ MAX_CONNECTIONS: '300', HEADERS_TIMEOUT_MS: '600000' });
    const silent = await open(300);
    for (const address of ['127.0.0.2', '127.0.0.1', '127.0.0.3']) expect(await statusFor(address)).toBe(200);
    // A quarter remains.
    for (const socket of silent) socket.resume();
    await expect.poll(() => silent.filter(isOpen).length).toBeLessThanOrEqual(75);
  });

  test('are closed when they have said nothing for HEADERS_TIMEOUT_MS', async () => {
    service = await startService({ HEADERS_TIMEOUT_MS: '200' });
    const silent = await open(50);
    await Promise.all(silent.map((socket) => once(socket.resume(), 'close')));
  });
});

describe('connections of one client beyond MAX_CONNECTIONS_PER_ADDRESS', () => {
  const say = async (socket: Socket) => {
    socket.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(socket, 'data');
  };

  test('take the place of the oldest that is silent, and none of one that has asked', async () => {
    service = await startService({ MAX_CONNECTIONS_PER_ADDRESS: '3' });
    const [first, silent, third] = (await open(3)) as [Socket, Socket, Socket];
    await say(first);
    await say(third);
    const cut = once(silent.resume(), 'close');
    const [fourth] = (await open(1)) as [Socket];
    await cut;
    await say(fourth);
    const [fifth] = (await open(1)) as [Socket];
    await once(fifth.resume(), 'close');
    for (const socket of [first, third, fourth]) await say(socket);
    expect(await statusFor('127.0.0.2')).toBe(200);
    third.destroy();
    await expect.poll(() => statusFor('127.0.0.1')).toBe(200);
  });

  test('are taken from a trusted proxy', async () => {
    service = await startService({ MAX_CONNECTIONS_PER_ADDRESS: '2', TRUSTED_PROXIES: '127.0.0.1' });
    const sockets = await open(10);
    for (const socket of sockets) await say(socket);
  });
});

describe('a body that goes on after its request was answered', () => {
  const piece = Buffer.alloc(16 * 1024, 'x');

  /** Sends endlessly; returns the data received until the connection was cut. */
  async function sendOn(head: string): Promise<string> {
    const [socket] = (await open(1)) as [Socket];
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const cut = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`${head}Host: a\r\nContent-Length: 1000000000000\r\n\r\n`);
    const more = setInterval(() => socket.write(piece), 5);
    await cut;
    clearInterval(more);
    return received;
  }

  test('is cut, whatever the answer was', async () => {
    service = await startService({ REFUSED_BODY_TIMEOUT_MS: '100' });
    await writeFile(join(service.originals, 'a.jpg'), fixture('concert.jpg'));
    for (let n = 0; n < 2; n++) await ask(service.url, '/t/w_10,f_png/a.jpg');
    const reader = await service.services.keyring.create({ permissions: ['read'] });
    const creating = `POST /api-keys/create HTTP/1.1\r\nContent-Type: application/json\r\n`;
    const form = 'Content-Type: multipart/form-data; boundary=b\r\n';
    for (const [status, head] of [
      [401, creating],
      [401, `POST /upload HTTP/1.1\r\nX-Api-Key: wrong\r\n${form}`],
      [403, `${creating}X-Api-Key: ${reader.key}\r\n`],
      [403, `POST /upload HTTP/1.1\r\nX-Api-Key: ${reader.key}\r\n${form}`],
      [404, 'POST /nothing HTTP/1.1\r\nContent-Type: text/x\r\n'],
      [413, `${creating}X-Api-Key: ${TEST_KEY}\r\n`],
      [200, 'GET /livez HTTP/1.1\r\n'],
      [200, 'GET /t/w_10,f_png/a.jpg HTTP/1.1\r\n'],
    ] as const) {
      const answer = await sendOn(head);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toMatch(/^connection: close\r$/im);
    }
  });

  test('is dropped when it ends in time, so that its client sees the answer', async () => {
    service = await startService();
    const request = http.request(`${service.url}/upload`, {
      method: 'POST',
      headers: {
        'x-api-key': 'wrong',
        'content-type': 'multipart/form-data; boundary=b',
        'transfer-encoding': 'chunked',
      },
    });
    const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
    request.write(piece);
    const [response] = await answered;
    expect(response.statusCode).toBe(401);
    for (let n = 0; n < 200; n++) request.write(piece);
    request.end();
    await once(request, 'finish');
    const { error } = JSON.parse(await new Response(response as never).text());
    expect(error).toBe('Unauthorized');
  });

  test('is read slowly after its first megabytes, so that it takes no time from others', async () => {
    service = await startService({ REFUSED_BODY_TIMEOUT_MS: '1000' });
    const [socket] = (await open(1)) as [Socket];
    const closed = once(socket.resume(), 'close');
    socket.write('POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000000\r\n\r\n');
    const large = Buffer.alloc(1024 * 1024, 'x');
    const flood = Readable.from(
      (function* () {
        for (;;) yield large;
      })(),
    );
    flood.pipe(socket);
    await closed;
    flood.destroy();
    // 8 MB immediately, 5 in the second, and the buffers of the system.
    expect(socket.bytesWritten / large.length).toBeLessThan(48);
  });

  test('that came whole leaves the connection open', async () => {
    service = await startService();
    const [socket] = (await open(1)) as [Socket];
    for (let n = 0; n < 2; n++) {
      socket.write(
        `POST /api-keys/create HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${TEST_KEY}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
      );
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toMatch(/^HTTP\/1.1 200 .*connection: keep-alive/is);
    }
  });
});
