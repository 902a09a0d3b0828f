import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';

/** More than the system buffers of an unread response. */
const large = randomBytes(24 * 1024 * 1024);

let service: TestService;
beforeAll(async () => {
  service = await startService({ HEADERS_TIMEOUT_MS: '300' });
  await writeFile(join(service.originals, 'large.mp4'), large);
  await writeFile(join(service.originals, 'concert.jpg'), fixture('concert.jpg'));
});
afterAll(() => service.close());

function open(): Socket {
  const { hostname, port } = new URL(service.url);
  return connect(Number(port), hostname).on('error', () => undefined);
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const LAST = 'Connection: close\r\n';

/** Returns status and body of each response, by its length. */
function readAnswers(stream: string): { status: number; body: string }[] {
  const answers: { status: number; body: string }[] = [];
  for (let at = 0; at < stream.length; ) {
    const end = stream.indexOf('\r\n\r\n', at) + 4;
    const head = stream.slice(at, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    answers.push({ status: Number(head.slice(9, 12)), body: stream.slice(end, end + length) });
    at = end + length;
  }
  return answers;
}

describe('a client that sends requests ahead and reads the answers', () => {
  test('gets all 5,000 of them, in order', async () => {
    const paths = Array.from({ length: 5000 }, (_, n) => `/t/w_10/missing-${n}.jpg`);
    const socket = open();
    socket.write(paths.map((path, n) => get(path, n === paths.length - 1 ? LAST : '')).join(''));
    const answers = readAnswers(await text(socket));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
    const named = answers.map(({ body }) => /missing-\d+/.exec(body)?.[0]);
    expect(named).toEqual(paths.map((path) => path.slice('/t/w_10/'.length, -'.jpg'.length)));
  });

  test('gets cold and cached pictures, errors and answers to bodies, each at its place', async () => {
    const body = JSON.stringify({ name: 'sent ahead' });
    // Longer than a single read.
    const long = JSON.stringify({ name: 'x'.repeat(200_000) });
    const post = (content: string, more = '') =>
      `POST /api-keys/create HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${TEST_KEY}\r\nContent-Type: application/json\r\n${more}Content-Length: ${content.length}\r\n\r\n${content}`;
    const picture = get('/t/w_20,f_png/concert.jpg', 'Accept: */*\r\n');
    const socket = open();
    for (let n = 0; n < 2; n++) {
      socket.write([picture, post(body), get('/nothing'), picture, get('/livez'), post(long), picture].join(''));
    }
    socket.write(post(body, LAST));
    const answers = readAnswers((await readLatin(socket)) as string);
    const once = [200, 200, 404, 200, 200, 400, 200];
    expect(answers.map(({ status }) => status)).toEqual([...once, ...once, 200]);
    const cached = await ask(service.url, '/t/w_20,f_png/concert.jpg');
    for (const n of [0, 3, 6, 7, 10, 13]) expect(answers[n]?.body).toBe(cached.body.toString('latin1'));
    for (const n of [1, 8, 14]) expect(JSON.parse(answers[n]?.body ?? '').apiKey.name).toBe('sent ahead');
  });

  test('may take longer for an answer than headers may, while the next request has come in part', async () => {
    const socket = open().pause();
    // Two that wait, so that the rest stays unread.
    socket.write([get('/t/large.mp4'), get('/livez'), get('/livez'), 'GET /livez HTTP/1.1\r\n'].join(''));
    await once(socket, 'readable');
    // Another connection that is as late is rejected meanwhile, twice.
    for (let n = 0; n < 2; n++) {
      const late = open();
      late.write('GET /livez HTTP/1.1\r\n');
      expect(await text(late)).toMatch(/^HTTP\/1.1 408 /);
    }
    const rest = readLatin(socket);
    socket.write(`Host: a\r\n${LAST}\r\n`);
    expect(readAnswers(await rest).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

test('what is no request puts nothing into an answer that is under way', async () => {
  const socket = open();
  const received = readLatin(socket);
  socket.write(get('/queue/events'));
  // The client has read all of the response so far, and more of it may follow.
  await once(socket, 'data');
  socket.write('nonsense\r\n\r\n');
  const [head = '', body = ''] = (await received).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(body).toContain('event: connected\n');
  expect(await received).not.toContain('HTTP/1.1 400');
});

describe('a client that sends requests ahead and reads nothing', () => {
  test('has one answer under way, and one file open', async () => {
    const { store } = service.services.originals;
    const opened = vi.spyOn(store, 'open');
    const sockets = Array.from({ length: 5 }, () => open().pause());
    for (const socket of sockets) socket.write(get('/t/large.mp4').repeat(1000));
    await Promise.all(sockets.map((socket) => once(socket, 'readable')));
    for (let n = 0; n < 10; n++) expect((await ask(service.url, '/livez')).status).toBe(200);
    expect(opened).toHaveBeenCalledTimes(sockets.length);
    for (const socket of sockets) socket.destroy();
    opened.mockRestore();
  });

  test('is cut off when too many wait on all connections, but not one with a few', async () => {
    const small = await startService({ MAX_PIPELINED_REQUESTS: '100' });
    await writeFile(join(small.data, 'originals', 'large.mp4'), large);
    const { hostname, port } = new URL(small.url);
    const send = async (count: number) => {
      const socket = connect(Number(port), hostname)
        .on('error', () => undefined)
        .pause();
      socket.write(get('/t/large.mp4') + get('/livez').repeat(count - 1) + get('/livez', LAST));
      await once(socket, 'readable');
      return socket;
    };
    const holding = await send(90);
    const few = await send(16);
    const cut = await readLatin(await send(17));
    expect(readAnswers(cut).length).toBeLessThan(17);
    expect(readAnswers(await readLatin(few))).toHaveLength(17);
    expect(readAnswers(await readLatin(holding))).toHaveLength(91);
    // A disconnected client no longer waits.
    expect(readAnswers(await readLatin(await send(90)))).toHaveLength(91);
    await small.close();
  });
});

async function readLatin(socket: Socket): Promise<string> {
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  await once(socket, 'close');
  return received;
}
