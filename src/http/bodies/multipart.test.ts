import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../../test/fuzz/seeded-random.ts';
import { HttpProblem } from '../../errors.ts';
import { type FormFields, type FormOptions, receiveForm } from './multipart.ts';

const BEGUN = '--x\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\nbytes';
const MEGABYTE = 1024 * 1024;

let temp: string;
beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'darkroom-form-'));
});
afterAll(() => rm(temp, { recursive: true }));

const options = (): FormOptions => ({
  temp,
  maxFileBytes: 9 * MEGABYTE,
  maxFileSetting: 'MAX_FILE_SIZE_MB',
  maxRequestBytes: 9 * MEGABYTE,
  maxFiles: 9,
  idleMs: 60_000,
  graceMs: 60_000,
  minBytesPerSecond: 1,
  capacity: { take: () => undefined, give: () => undefined },
});

/** Starts a server that reports the result of a form. */
async function serve(limits: Partial<FormOptions>) {
  const all = { ...options(), ...limits };
  const server = http.createServer(async (request, response) => {
    const outcome = await receiveForm(request, all).then(
      ({ files }) => `${files.length} files`,
      (error) => (error instanceof HttpProblem ? `${error.status}` : error.code),
    );
    response.end(outcome);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function send(server: http.Server, length: number): http.ClientRequest {
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': length };
  const { port } = server.address() as AddressInfo;
  return http.request({ host: '127.0.0.1', port, method: 'POST', headers });
}

async function answerTo(request: http.ClientRequest): Promise<string> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const answer = await text(response);
  request.destroy();
  return answer;
}

test('a client that stops sending hears 408, and its half file is removed', async () => {
  const server = await serve({ idleMs: 50 });
  const request = send(server, MEGABYTE);
  request.write(BEGUN);
  expect(await answerTo(request)).toBe('408');
  expect(await readdir(temp)).toEqual([]);
  server.close();
});

test.each([1, 3, 1000, 17_000, Number.POSITIVE_INFINITY])('a form is the same in pieces of %i bytes', async (size) => {
  const contents = ['', 'x', 'y'.repeat(20_000), '\r\n--', 'z'.repeat(70_000)].map((content) => Buffer.from(content));
  const head = (n: number) => `--x\r\nContent-Disposition: form-data; name="files"; filename="${n}"\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="folder"\r\n\r\nphotos\r\n'),
    ...contents.flatMap((content, n) => [Buffer.from(head(n)), content, Buffer.from('\r\n')]),
    Buffer.from('--x--\r\nwhat is behind it does not matter'),
  ]);
  const request = Readable.from(pieces(body, size), { objectMode: false });
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  const form = await receiveForm(Object.assign(request, { headers }) as unknown as http.IncomingMessage, options());
  expect([...form.fields]).toEqual([['folder', ['photos']]]);
  expect(form.files.map((file) => file.size)).toEqual(contents.map(({ length }) => length));
  for (const [n, { name, file = '' }] of form.files.entries()) {
    expect([name, await readFile(file)]).toEqual([String(n), contents[n]]);
  }
  await form[Symbol.asyncDispose]();
  expect(await readdir(temp)).toEqual([]);
});

test.each(Array.from({ length: 6 }, (_, n) => n + 3))(
  'a part that ends just when %i slices of it wait to be read holds up no other part',
  async (slices) => {
    const SLICE = 16 * 1024;
    const head = `--x\r\n${FILE}\r\n\r\n`;
    // The slices end with what may be a boundary, and the real one follows.
    const content = `${'y'.repeat(slices * SLICE - 4)}\r\n--`;
    const begun = `${'p'.repeat(SLICE - head.length - 2)}\r\n${head}${content}\r\n--x\r\nContent-Dispo`;
    const rest = `sition: form-data; name="files"; filename="b"\r\n\r\nbytes\r\n--x--\r\n`;
    await using form = await receiveChunks([Buffer.from(begun), Buffer.from(rest)], { idleMs: 2000 });
    expect(form.files.map(({ size }) => size)).toEqual([content.length, 5]);
  },
);

test('a form of random parts is the same in random pieces', async () => {
  const FRAGMENTS = ['\r', '\n', '\r\n', '\r\n-', '\r\n--', '--x', '-', 'y', 'z'.repeat(100), 'z'.repeat(16_380)];
  for (let seed = 1; seed <= 60; seed++) {
    const random = seededRandom(seed);
    const contents = Array.from({ length: 1 + random.below(6) }, () =>
      Array.from({ length: random.below(12) }, () => random.pick(FRAGMENTS)).join(''),
    ).map((content) => content.replaceAll(/(^|\r\n)--x/g, '$1--y'));
    const body = Buffer.from(formOf(...contents.map((content): [string, string] => [FILE, content])));
    const largest = random.pick([7, 300, 16_384, 65_536]);
    const chunks: Buffer[] = [];
    for (let at = 0; at < body.length; ) {
      const end = at + 1 + random.below(largest);
      chunks.push(body.subarray(at, end));
      at = end;
    }
    await using form = await receiveChunks(chunks, { idleMs: 5000 });
    const received = await Promise.all(form.files.map(({ file = '' }) => readFile(file, 'latin1')));
    expect([seed, received]).toEqual([seed, contents]);
  }
});

test('a form whose client leaves anywhere ends, and nothing stays of it', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = seededRandom(seed);
    const body = Buffer.from(formOf([FILE, 'y'.repeat(200_000)], [FILE, 'z'], [FILE, '\r\n--'.repeat(5000)]));
    const chunks = Array.from(pieces(body.subarray(0, random.below(body.length)), 1 + random.below(30_000)));
    const request = Readable.from(chunks, { objectMode: false });
    const leaving = new Error('The client leaves.');
    const receiving = receiveRequest(request, { idleMs: 5000 }).catch((error: Error) => error);
    const count = random.below(chunks.length);
    let read = 0;
    request.on('data', () => {
      if (read++ === count) request.destroy(leaving);
    });
    request.once('end', () => request.destroy(leaving));
    expect(await receiving).toMatchObject({ name: expect.stringMatching(/ClientLeft|HttpProblem/) });
  }
  expect(await readdir(temp)).toEqual([]);
});

/** A form of parts, each of its headers and its content. */
const formOf = (...parts: [headers: string, content: string][]) =>
  `${parts.map(([headers, content]) => `--x\r\n${headers}\r\n\r\n${content}\r\n`).join('')}--x--\r\n`;

function receive(body: string, { pieceBytes = Number.POSITIVE_INFINITY, ...limits }: ReceiveOptions = {}) {
  return receiveChunks(pieces(Buffer.from(body, 'latin1'), pieceBytes), limits);
}

function receiveChunks(chunks: Iterable<Buffer>, limits: Partial<FormOptions>) {
  return receiveRequest(Readable.from(chunks, { objectMode: false }), limits);
}

function receiveRequest(request: Readable, limits: Partial<FormOptions>) {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  return receiveForm(Object.assign(request, { headers }) as unknown as http.IncomingMessage, {
    ...options(),
    ...limits,
  });
}

type ReceiveOptions = Partial<FormOptions> & { pieceBytes?: number };

const FILE = 'Content-Disposition: form-data; name="files"; filename="a"';

test('a part without a type declares none, and one of text declares text', async () => {
  const types = ['', '\r\nContent-Type: text/plain', '\r\nContent-Type: Image/PNG; charset=binary', ''];
  await using form = await receive(formOf(...types.map((type) => [FILE + type, 'bytes'] as [string, string])));
  expect(form.files.map(({ declaredType }) => declaredType)).toEqual(['', 'text/plain', 'image/png', '']);
});

test('at each file, the fields before it are there, however closely they follow each other', async () => {
  const field = (name: string) => `Content-Disposition: form-data; name="${name}"`;
  const seen: string[][] = [];
  const onFile = (fields: FormFields) => seen.push([...fields.keys()]);
  const body = formOf(
    [field('a'), '1'],
    [FILE, ''],
    [field('b'), ''],
    [field('c'), '3'],
    [FILE, 'x'],
    [field('d'), '4'],
  );
  await using form = await receive(body, { onFile });
  expect(seen).toEqual([['a'], ['a', 'b', 'c']]);
  expect(Object.fromEntries(form.fields)).toEqual({ a: ['1'], b: [''], c: ['3'], d: ['4'] });
});

test('a field is text in UTF-8, unless it declares another encoding', async () => {
  const field = 'Content-Disposition: form-data; name="a"';
  const body = formOf(
    [field, '\xc3\xbc'],
    [`${field}\r\nContent-Type: text/plain; charset=UTF-8`, '\xc3\xbc'],
    [`${field}\r\nContent-Type: text/plain; charset=iso-8859-1`, '\xfc'],
    [`${field}\r\nContent-Type: text/plain; charset=unknown`, '\xc3\xbc'],
  );
  await using form = await receive(body);
  expect(form.fields.get('a')).toEqual(['ü', 'ü', 'ü', 'ü']);
});

test('a part that is not of a form is skipped', async () => {
  await using form = await receive(
    formOf(
      ['Content-Disposition: attachment; filename="a"', 'x'.repeat(100_000)],
      ['X-Other: a', 'x'],
      [FILE, 'bytes'],
    ),
  );
  expect([form.files.map(({ size }) => size), [...form.fields]]).toEqual([[5], []]);
});

test.each([1, 10, 100, 130, Number.POSITIVE_INFINITY])(
  'a file of another field is what is wrong with a form that breaks off in it, in pieces of %i bytes',
  async (pieceBytes) => {
    const begun = `--x\r\n${FILE}\r\n\r\nbytes\r\n--x\r\nContent-Disposition: form-data; name="b"; filename="b"\r\n\r\nb`;
    await expect(receive(begun, { pieceBytes })).rejects.toThrow('received "b"');
  },
);

test('the headers of a part have a maximum size', async () => {
  const headers = (bytes: number) => `${FILE}\r\nX-Long: ${'x'.repeat(bytes)}`;
  await using form = await receive(formOf([headers(16_000), 'bytes']));
  expect(form.files.length).toBe(1);
  for (const bytes of [17_000, 500_000]) {
    await expect(receive(formOf([headers(bytes), 'bytes']))).rejects.toThrow('16384 bytes in the headers');
  }
});

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each<[string, Partial<FormOptions>, string]>([
  ['parts that are neither field nor file', {}, '--x\r\n\r\n\r\n'],
  ['empty parts', {}, '--x\r\n'],
  ['fields', {}, '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'],
  ['files', {}, '--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n1\r\n'],
])('too many %s end the form, however much of it is still to come', async (_what, limits, part) => {
  const server = await serve(limits);
  // The request is never completed.
  const request = send(server, 1024 * MEGABYTE);
  request.write(part.repeat(5000));
  expect(await answerTo(request)).toBe('400');
  expect(await readdir(temp)).toEqual([]);
  server.close();
});

test('a body that comes byte by byte has an end', async () => {
  const server = await serve({ graceMs: 100, minBytesPerSecond: 1024 });
  const request = send(server, MEGABYTE);
  request.write(BEGUN);
  const sending = setInterval(() => request.write('x'), 5);
  expect(await answerTo(request)).toBe('408');
  clearInterval(sending);
  expect(await readdir(temp)).toEqual([]);
  server.close();
});

test('a file that cannot be saved fails the form as soon as it is sent, however large it is', async () => {
  const server = await serve({ temp: join(temp, 'missing') });
  const rest = Buffer.alloc(8 * MEGABYTE);
  const request = send(server, BEGUN.length + rest.length);
  request.write(BEGUN);
  request.end(rest);
  expect(await answerTo(request)).toBe('ENOENT');
  server.close();
});

test('the texts of a form may not be as large as its files, however many they are', async () => {
  const server = await serve({});
  const field = `--x\r\nContent-Disposition: form-data; name="names"\r\n\r\n${'n'.repeat(60_000)}\r\n`;
  const form = (count: number) => `${field.repeat(count)}--x--\r\n`;
  const outcome = (body: string) => answerTo(send(server, body.length).end(body));
  expect(await outcome(form(30))).toBe('0 files');
  expect(await outcome(form(40))).toBe('400');
  server.close();
});
