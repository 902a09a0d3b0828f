import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { logUnreachable } from '../../src/outgoing/guarded-request.ts';
import { openUrl } from '../../src/outgoing/open-url.ts';
import { createReach } from '../../src/outgoing/public-address.ts';
import { ask, fixture } from '../http.ts';
import { solid } from '../pictures/studio.ts';
import { createSpace, startService, type TestService } from '../service.ts';
import type { UploadAnswer } from '../uploads.ts';

const concert = fixture('concert.jpg');
let webp: Buffer;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const redirect = (location: string) => ((_, response) => response.writeHead(302, { location }).end()) satisfies Answer;
const bytes = (body: Buffer, headers = {}) =>
  ((_, response) => response.writeHead(200, headers).end(body)) satisfies Answer;

/** The site's responses by path. */
const answers: Record<string, Answer> = {};
const asked: string[] = [];
let site: Server;
let base: string;
let service: TestService;

beforeAll(async () => {
  webp = await solid(8, 8, [255, 0, 0, 255]).webp().toBuffer();
  site = createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = answers[request.url ?? ''];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  }).listen(0);
  await once(site, 'listening');
  base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const limits = { MAX_FILE_SIZE_MB: '1', UPLOAD_GRACE_MS: '500', UPLOAD_URL_MAX_CONCURRENT: '2' };
  // The rest of 127.0.0.0/8 is private.
  service = await startService({ ...limits, OUTGOING_PRIVATE_NETWORKS: '127.0.0.1' });
});
afterAll(async () => {
  site.closeAllConnections();
  site.close();
  await service.close();
});
afterEach(async () => {
  asked.length = 0;
  await expect.poll(() => readdir(service.services.temp), { message: 'temporary files are gone' }).toEqual([]);
});

async function send(body: Record<string, unknown>): Promise<UploadAnswer> {
  const headers = { 'content-type': 'application/json' };
  const response = await service.authorized('/upload/url', { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, ...((await response.json()) as Omit<UploadAnswer, 'status'>) };
}

test('a file is fetched and stored as an upload is', async () => {
  answers['/photos/my%20shoe.jpg?size=large'] = bytes(concert, { 'content-type': 'binary/octet-stream' });
  const url = `${base}/photos/my%20shoe.jpg?size=large`;
  const answer = await send({ url, folder: 'products', transformations: ['w_32,f_png'] });
  expect(answer).toMatchObject({ status: 200, success: true, errors: [] });
  expect(answer.files).toMatchObject([
    { path: 'products/my shoe.jpg', size: concert.length, prewarmedUrls: ['/t/w_32,f_png/products/my%20shoe.jpg'] },
  ]);
  expect((await ask(service.url, '/t/products/my%20shoe.jpg')).body.equals(concert)).toBe(true);
  expect(await send({ url, folder: 'products', existing: 'skip' })).toMatchObject({ files: [{ skipped: true }] });
});

test.each([
  ['/image?id=5', 'webp', undefined, 'image.webp'],
  ['/named.jpg', 'webp', undefined, 'named.webp'],
  ['/script.php', 'jpeg', undefined, 'script.php.jpg'],
  ['/', 'jpeg', undefined, 'file.jpg'],
  ['/any', 'jpeg', 'chosen.jpeg', 'chosen.jpeg'],
])('%s is named by its URL and its bytes, or as asked for', async (path, format, name, expected) => {
  answers[path] = bytes(format === 'webp' ? webp : concert);
  const answer = await send({ url: base + path, folder: 'named', ...(name && { name }) });
  expect(answer.files[0]?.path).toBe(`named/${expected}`);
});

test('what is no accepted file is refused as in an upload', async () => {
  answers['/page.html'] = bytes(Buffer.from('<html></html>'), { 'content-type': 'text/html' });
  expect(await send({ url: `${base}/page.html` })).toMatchObject({ status: 400, code: 'unsupported_type' });
  answers['/w.jpg'] = bytes(webp);
  expect(await send({ url: `${base}/w.jpg`, name: 'w.jpg' })).toMatchObject({ status: 400, code: 'type_mismatch' });
});

test('redirects are followed, each to an address that may be asked', async () => {
  answers['/a'] = redirect('/b');
  answers['/b'] = redirect(`${base}/c.jpg`);
  answers['/c.jpg'] = bytes(concert);
  expect((await send({ url: `${base}/a`, folder: 'followed' })).files[0]?.path).toBe('followed/c.jpg');
  answers['/away'] = redirect(base.replace('127.0.0.1', '127.0.0.2'));
  expect(await send({ url: `${base}/away` })).toMatchObject({ status: 400, code: 'url_not_public' });
  answers['/file'] = redirect('file:///etc/passwd');
  expect(await send({ url: `${base}/file` })).toMatchObject({ status: 400, code: 'validation_failed' });
  answers['/round'] = redirect('/round');
  expect((await send({ url: `${base}/round` })).message).toContain('redirects more than 5 times');
  expect(asked.filter((path) => path === '/round')).toHaveLength(6);
});

test.each([
  ...[
    'http://127.0.0.2:PORT/x',
    'http://localhost.localdomain:PORT/x',
    'http://[::1]:PORT/x',
    'http://[::ffff:127.0.0.2]:PORT/x',
  ],
  ...[
    'http://2130706434:PORT/x',
    'http://0x7f.0.0.2:PORT/x',
    'http://0:PORT/x',
    'http://169.254.169.254/latest/meta-data',
  ],
])('%s is not asked', async (url) => {
  const answer = await send({ url: url.replace('PORT', new URL(base).port) });
  expect(answer.code).toBe('url_not_public');
  expect(asked).toEqual([]);
});

test('nobody learns which names there are in the network: what cannot be reached has one answer', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  answers['/hangs-up'] = (request) => request.socket.destroy();
  answers['/inside'] = redirect('http://127.0.0.2/');
  answers['/nowhere'] = redirect('http://nowhere.invalid/');
  const said: unknown[] = [];
  for (const url of [
    'http://nowhere.invalid/a.jpg',
    'http://localhost.localdomain/a.jpg',
    'http://127.0.0.2/a.jpg',
    'http://[::1]/a.jpg',
    `http://127.0.0.1:${port}/a.jpg`,
    `${base}/hangs-up`,
    // A protocol that does not match the port.
    `${base.replace('http:', 'https:')}/a.jpg`,
    `${base}/inside`,
    `${base}/nowhere`,
  ]) {
    const { status, code, error, message = '' } = await send({ url });
    const [, origin = ''] = /"(.*?)"/.exec(message) ?? [];
    said.push([status, code, error, message.replace(origin, 'ORIGIN')]);
  }
  expect(said).toEqual(
    said.map(() => [
      400,
      'url_not_public',
      'Bad request',
      '"ORIGIN" is not on the public internet, or does not answer. OUTGOING_PRIVATE_NETWORKS allows private networks; the log has the reason.',
    ]),
  );
});

test('the log has the reason why a URL cannot be reached, without its path', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(line) });
  const reasonOf = async (url: string) => {
    const opening = { mayReach: createReach([]), userAgent: 'test' };
    const error = await openUrl(url, opening, new AbortController().signal).catch((thrown: unknown) => thrown);
    logUnreachable(log, error);
    return lines.at(-1) ?? '';
  };
  expect(await reasonOf('http://nowhere.invalid/secret?token=1')).toContain('getaddrinfo');
  expect(await reasonOf('http://127.0.0.2/secret?token=1')).toContain('no permitted address');
  expect(await reasonOf(`${base}/secret?token=1`)).toContain(base);
  expect(lines).toHaveLength(3);
  expect(lines.join()).not.toContain('secret');
});

test('a name that leads elsewhere when it is connected to is not asked', async () => {
  let looked = 0;
  const resolve = async () => [{ address: ++looked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  const opening = { mayReach: createReach(['127.0.0.1']), userAgent: 'test', resolve };
  const url = `http://rebound.example:${new URL(base).port}/c.jpg`;
  const signal = new AbortController().signal;
  const opened = await openUrl(url, opening, signal);
  opened.response.destroy();
  await expect(openUrl(url, opening, signal)).rejects.toMatchObject({ code: 'url_not_public' });
});

test.each([
  ['ftp://example.com/x', 'validation_failed'],
  ['http://user:password@example.com/x', 'validation_failed'],
  ['no url', 'validation_failed'],
  ['', 'validation_failed'],
])('%s is no URL that is fetched', async (url, code) => {
  expect(await send({ url })).toMatchObject({ status: 400, code });
});

test('what is not there, too large, coded, or breaks off is 400 with the reason', async () => {
  const messageOf = async (path: string) => {
    const answer = await send({ url: base + path });
    return [answer.status, answer.code, answer.message ?? answer.error];
  };
  expect(await messageOf('/missing')).toEqual([
    400,
    'url_not_fetched',
    `"${base}/missing" cannot be fetched: it answered with the status 404.`,
  ]);
  const large = Buffer.alloc(1024 * 1024 + 1);
  const tooLarge = [400, 'file_too_large', 'The file is larger than the limit of 1 MB (MAX_FILE_SIZE_MB).'];
  answers['/large'] = bytes(large, { 'content-length': large.length });
  expect(await messageOf('/large')).toEqual(tooLarge);
  answers['/endless'] = (_, response) => void response.writeHead(200).write(large);
  expect(await messageOf('/endless')).toEqual(tooLarge);
  answers['/coded'] = bytes(gzipSync(concert), { 'content-encoding': 'gzip' });
  expect((await messageOf('/coded'))[2]).toContain('it is coded as "gzip"');
  answers['/broken'] = (_, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('x', () => response.destroy());
  };
  expect((await messageOf('/broken'))[2]).toContain('the connection broke before the end of the file');
  answers['/slow'] = (_, response) => void response.writeHead(200).write('x');
  expect((await messageOf('/slow'))[2]).toContain('it comes too slowly (UPLOAD_MIN_RATE_KB)');
});

test('a client that leaves ends its fetch', async () => {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  answers['/held'] = (_, response) => {
    response.writeHead(200).write('x', () => begun.resolve());
    response.on('close', ended.resolve);
  };
  const leaving = new AbortController();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ url: `${base}/held` });
  const left = service.authorized('/upload/url', { method: 'POST', headers, body, signal: leaving.signal });
  await begun.promise;
  leaving.abort();
  await expect(left).rejects.toThrow();
  await ended.promise;
});

test('the library and all spaces share the fetches and their queue', async () => {
  const headers = { 'content-type': 'application/json' };
  for (const id of ['fetching-one', 'fetching-two']) await createSpace(service, id);
  const waiting: ServerResponse[] = [];
  answers['/shared.jpg'] = (_, response) => void waiting.push(response);
  const body = JSON.stringify({ url: `${base}/shared.jpg`, folder: 'shared', existing: 'skip' });
  const statuses: number[] = [];
  const refused = Promise.withResolvers<unknown>();
  // Two are fetched, and 32 wait.
  const sent = Array.from({ length: 35 }, async (_, n) => {
    const prefix = ['', '/b/fetching-one', '/b/fetching-two'][n % 3];
    const response = await service.authorized(`${prefix}/upload/url`, { method: 'POST', headers, body });
    statuses.push(response.status);
    const { code } = (await response.json()) as UploadAnswer;
    if (response.status !== 200) refused.resolve(code);
  });
  expect(await refused.promise).toBe('queue_full');
  await expect.poll(() => waiting.length).toBe(2);
  answers['/shared.jpg'] = bytes(concert);
  for (const response of waiting) response.writeHead(200).end(concert);
  await Promise.all(sent);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array(34).fill(200), 503]);
});
