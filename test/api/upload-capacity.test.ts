import { createHmac } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { beginUpload, type SlowUpload } from '../slow-upload.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
const MEGABYTE = 1024 * 1024;
const PATIENCE = { timeout: 20_000 };

let service: TestService;
/** Uploads of the current test. */
let begun: SlowUpload[] = [];

beforeAll(async () => {
  service = await startService({
    API_SECRET: SECRET,
    MAX_FILE_SIZE_MB: '2',
    UPLOAD_UNPROVEN_MAX_MB: '3',
    UPLOAD_TEMP_MAX_MB: '8',
    TRUSTED_PROXIES: '127.0.0.1',
  });
});
afterAll(() => service.close());
beforeEach(() => {
  begun = [];
});
afterEach(async () => {
  for (const upload of begun) upload.leave();
  await expect.poll(tempFiles, PATIENCE).toEqual([]);
});

async function tempFiles(): Promise<number[]> {
  const { temp } = service.services;
  const sizes = (await readdir(temp)).map((file) => stat(join(temp, file)).catch(() => undefined));
  return (await Promise.all(sizes)).flatMap((found) => (found ? [found.size] : []));
}

/** Returns the bytes of files on disk that are not stored yet. */
async function kept(): Promise<number> {
  return (await tempFiles()).reduce((sum, size) => sum + size, 0);
}

const ofSize = (size: number) => Buffer.concat([fixture('flag-alpha.png'), Buffer.alloc(size)]).subarray(0, size);

function begin(client = '192.0.2.1', headers: Record<string, string> = {}): SlowUpload {
  const upload = beginUpload(service.url, { 'x-forwarded-for': client, ...headers });
  begun.push(upload);
  return upload;
}

function sign(upload: SlowUpload, folder = 'photos', change: Record<string, string | undefined> = {}): void {
  const expires = String(Math.floor(Date.now() / 1000) + 60);
  const signature = createHmac('sha256', SECRET).update(`${folder}:${expires}`).digest('hex');
  for (const [name, value] of Object.entries({ signature, expires, folder, ...change })) {
    if (value !== undefined) upload.field(name, value);
  }
}

function sendFile(upload: SlowUpload, name: string, size: number): void {
  upload.file(name);
  upload.bytes(ofSize(size));
}

/** Begins an upload, without a signature so far, with this many bytes of a file on disk. */
async function keep(size: number, client?: string): Promise<SlowUpload> {
  const before = await kept();
  const upload = begin(client);
  sendFile(upload, 'kept.png', size);
  await expect.poll(kept, PATIENCE).toBe(before + size);
  return upload;
}

describe('files that come before their signature', () => {
  test('are kept up to MAX_FILE_SIZE_MB; what is over is not, and is an error of its file', async () => {
    const upload = begin();
    sendFile(upload, 'first.png', 1.5 * MEGABYTE);
    sendFile(upload, 'second.png', MEGABYTE);
    sendFile(upload, 'third.png', 0.5 * MEGABYTE);
    sign(upload);
    upload.end();
    const { status, json } = await upload.answer;
    expect(status).toBe(207);
    expect((json.files as { filename: string }[]).map(({ filename }) => filename)).toEqual(['first.png', 'third.png']);
    expect(json.errors).toEqual([
      { filename: 'second.png', error: expect.stringContaining('"signature"'), code: 'file_too_large' },
    ]);
  });

  test('and a file over the limit is read to its end without being kept, as everywhere', async () => {
    const upload = begin();
    sendFile(upload, 'large.png', 3 * MEGABYTE);
    await expect.poll(kept, PATIENCE).toBe(0);
    sign(upload);
    upload.end();
    const { status, json } = await upload.answer;
    expect(status).toBe(400);
    expect(json.errors).toEqual([
      { filename: 'large.png', error: expect.stringContaining('MAX_FILE_SIZE_MB'), code: 'file_too_large' },
    ]);
  });

  test('of all clients together are kept up to UPLOAD_UNPROVEN_MAX_MB: 503 at once, and nothing is kept', async () => {
    const first = await keep(1.5 * MEGABYTE, '192.0.2.1');
    const second = begin('192.0.2.2');
    sendFile(second, 'over.png', 1.75 * MEGABYTE);
    const refusal = await second.answer;
    expect([refusal.status, refusal.headers['retry-after'], refusal.headers.connection]).toEqual([503, '10', 'close']);
    expect(refusal.json).toEqual({
      error: 'Service unavailable',
      code: 'overloaded',
      message: expect.stringContaining('UPLOAD_UNPROVEN_MAX_MB'),
    });
    await second.closed;
    expect(await tempFiles()).toEqual([1.5 * MEGABYTE]);
    sign(first);
    first.end();
    expect((await first.answer).status).toBe(200);
    // Its capacity is free again.
    await keep(2 * MEGABYTE, '192.0.2.2');
  });

  test('without any signature are 401 in the end, and gone', async () => {
    const upload = await keep(MEGABYTE);
    upload.end();
    expect(await upload.answer).toMatchObject({ status: 401, json: { error: 'Unauthorized' } });
  });
});

describe('a client', () => {
  test('has two unproven uploads at once; a third is 429 before its body is read, and its connection closed', async () => {
    const first = await keep(100_000);
    const second = await keep(100_000);
    const third = begin();
    const refusal = await third.answer;
    expect([refusal.status, refusal.headers['retry-after'], refusal.headers.connection]).toEqual([429, '10', 'close']);
    expect(refusal.json).toEqual({
      error: 'Too many requests',
      code: 'too_many_uploads',
      message: expect.stringContaining('UPLOAD_UNPROVEN_MAX_PER_CLIENT'),
      retryAfter: 10,
    });
    await third.closed;

    // Another client has a separate limit, and so has a key.
    await keep(100_000, '192.0.2.9');
    const withKey = begin('192.0.2.1', { 'x-api-key': TEST_KEY });
    sendFile(withKey, 'key.png', 1000);
    withKey.end();
    expect((await withKey.answer).status).toBe(200);

    // A completed upload frees capacity for another, and so does an aborted one.
    sign(first);
    first.end();
    expect((await first.answer).status).toBe(200);
    second.leave();
    await expect.poll(kept, PATIENCE).toBe(100_000);
    await keep(100_000);
    await keep(100_000);
  });

  test('has as many as it likes whose signature comes before their files, also when they begin in one moment', async () => {
    const uploads = Array.from({ length: 8 }, () => begin());
    for (const upload of uploads) {
      sign(upload);
      sendFile(upload, 'signed.png', 10_000);
    }
    await expect.poll(tempFiles, PATIENCE).toEqual(uploads.map(() => 10_000));
    for (const upload of uploads) upload.end();
    const answers = await Promise.all(uploads.map(({ answer }) => answer));
    expect(answers.map(({ status }) => status)).toEqual(uploads.map(() => 200));
  });
});

describe('a signature that comes before the files', () => {
  test.each<[string, Record<string, string>, number]>([
    ['wrong', { signature: '0'.repeat(64) }, 401],
    ['for another folder', { folder: 'elsewhere' }, 401],
    ['over', { expires: '1' }, 401],
    ['of another form', { signature: 'abc' }, 400],
  ])(
    'and is %s is refused before a byte of a file is kept, and the connection is closed',
    async (_what, change, status) => {
      const upload = begin();
      sign(upload, 'photos', change);
      sendFile(upload, 'wrong.png', 100_000);
      const answer = await upload.answer;
      expect([answer.status, answer.headers.connection]).toEqual([status, 'close']);
      expect(await tempFiles()).toEqual([]);
      await upload.closed;
    },
  );

  test.each([
    ['photos', {}],
    ['', {}],
    ['', { folder: undefined }],
  ])('proves the upload into %j: more than MAX_FILE_SIZE_MB may follow', async (folder, change) => {
    const upload = begin();
    sign(upload, folder, change);
    for (const name of ['one.png', 'two.png', 'three.png']) sendFile(upload, name, 1.5 * MEGABYTE);
    await expect.poll(kept, PATIENCE).toBe(4.5 * MEGABYTE);
    upload.end();
    expect(await upload.answer).toMatchObject({ status: 200, json: { success: true } });
  });

  test('between two files proves what comes after it', async () => {
    const upload = await keep(1.5 * MEGABYTE);
    sign(upload);
    sendFile(upload, 'after.png', 1.5 * MEGABYTE);
    upload.end();
    expect(await upload.answer).toMatchObject({ status: 200, json: { success: true } });
  });

  test('is judged again when another folder follows', async () => {
    const upload = begin();
    sign(upload);
    sendFile(upload, 'moved.png', 1000);
    upload.field('folder', 'elsewhere');
    upload.end();
    expect(await upload.answer).toMatchObject({ status: 401, json: { success: false } });
  });
});

test('a client that goes on sending after its refusal is cut off', async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write('POST /upload HTTP/1.1\r\nHost: x\r\nx-api-key: wrong\r\nContent-Length: 1000000000\r\n\r\n');
  const sending = setInterval(() => socket.write('more'), 10);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  clearInterval(sending);
  expect(received).toMatch(/^HTTP\/1.1 401 .*\r\nConnection: close\r\n/s);
});

test('all uploads together have UPLOAD_TEMP_MAX_MB on the disk: 503 beyond, whose files are removed', async () => {
  const withKey = () => begin('192.0.2.1', { 'x-api-key': TEST_KEY });
  const first = withKey();
  for (const name of ['a.png', 'b.png', 'c.png']) sendFile(first, name, 2 * MEGABYTE);
  await expect.poll(kept, PATIENCE).toBe(6 * MEGABYTE);
  const second = withKey();
  for (const name of ['d.png', 'e.png']) sendFile(second, name, 1.5 * MEGABYTE);
  const refusal = await second.answer;
  expect([refusal.status, refusal.headers['retry-after'], refusal.headers.connection]).toEqual([503, '10', 'close']);
  expect(refusal.json.message).toContain('UPLOAD_TEMP_MAX_MB');
  await expect.poll(kept, PATIENCE).toBe(6 * MEGABYTE);
  first.end();
  expect((await first.answer).status).toBe(200);
  const third = withKey();
  for (const name of ['f.png', 'g.png', 'h.png', 'i.png']) sendFile(third, name, 2 * MEGABYTE);
  third.end();
  expect((await third.answer).status).toBe(200);
});

test('a form of too many parts is 400 before its end, others are answered meanwhile, and the connection is closed', async () => {
  const upload = begin();
  upload.file('x.png');
  upload.bytes(Buffer.from('\r\n--x\r\n\r\n'.repeat(100_000)));
  const [answer, health] = await Promise.all([upload.answer, ask(service.url, '/health')]);
  expect([answer.status, answer.headers.connection, health.status]).toEqual([400, 'close', 200]);
  expect(answer.json).toEqual({
    error: 'Bad request',
    code: 'too_many_items',
    message: expect.stringContaining('parts'),
  });
  await upload.closed;
});
