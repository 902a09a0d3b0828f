import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Upload } from 'tus-js-client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { picture } from '../library.ts';
import { BYTES, metadata, pathOf, TUS } from '../tus.ts';
import { killAt } from './kill-at.ts';
import { type ServiceProcess, spawnService, startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);
const MEGABYTE = 1024 * 1024;

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-resumable-crash-'));
});
afterEach(() => rm(data, { recursive: true, force: true }));

const start = (options = '', more: Record<string, string> = {}) =>
  startServiceProcess({ DATA_DIR: data, API_KEY, ...more, ...(options && { NODE_OPTIONS: options }) });

const call = ({ url }: ServiceProcess, method: string, path: string, headers = {}, body?: Uint8Array) =>
  ask(url, path, { method, headers: { ...TUS, 'x-api-key': API_KEY, ...headers }, ...(body && { body }) });

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const originals = async () => (await readdir(join(data, 'originals'))).toSorted();

test('an upload of a large file goes on after kill -9 in the middle of it, with the client that browsers use', async () => {
  const bytes = Buffer.concat([fixture('flag-alpha.png'), randomBytes(24 * MEGABYTE)]);
  const first = await start();
  const port = new URL(first.url).port;
  const offsets: number[] = [];
  let next: Promise<ServiceProcess> | undefined;
  const upload = await new Promise<Upload>((resolve, reject) => {
    const uploading: Upload = new Upload(bytes as unknown as Blob, {
      endpoint: `${first.url}/upload/resumable`,
      headers: { 'x-api-key': API_KEY },
      metadata: { filename: 'large.png' },
      retryDelays: null,
      onProgress(sent) {
        if (sent < bytes.length / 3 || next) return;
        next = first.end('SIGKILL').then(() => start('', { PORT: port }));
      },
      onAfterResponse(request, response) {
        if (request.getMethod() === 'HEAD') offsets.push(Number(response.getHeader('Upload-Offset')));
      },
      onSuccess: () => resolve(uploading),
      // As a browser does after reconnecting.
      onError: (error) => (next ? next.then(() => uploading.start(), reject) : reject(error)),
    });
    uploading.start();
  });
  const service = await next;
  expect(offsets.length).toBeGreaterThan(0);
  expect(offsets.at(-1)).toBeGreaterThan(0);
  expect(sha256((await ask(service?.url ?? '', '/t/large.png')).body)).toBe(sha256(bytes));
  expect(new URL(upload.url ?? '').port).toBe(port);
  expect(await originals()).toEqual(['large.png']);
  await service?.end('SIGTERM');
}, 180_000);

/** Steps at which the process is killed while it stores a complete file, in order. */
const CRASHES = {
  'after the file is stored': killAt('link', 'after', /uploads\/[^/]*\/lent$/),
  'before the result is noted': killAt('rename', 'before', /conclusion\.json\.new$/),
};

test('a complete file is stored once by the starts that follow, at whichever step each is killed, and its client learns of it', async () => {
  const bytes = picture('once');
  const [[, first = ''] = [], ...others] = Object.entries(CRASHES);
  const service = await start(first);
  const about = { 'upload-length': bytes.length, 'upload-metadata': metadata({ filename: 'a.png' }) };
  const path = pathOf(await call(service, 'POST', '/upload/resumable', about));
  await expect(call(service, 'PATCH', path, { ...BYTES, 'upload-offset': 0 }, bytes)).rejects.toThrow();
  for (const [what, crash] of others) {
    const next = spawnService({ DATA_DIR: data, API_KEY, NODE_OPTIONS: crash });
    expect(await next.exited, what).toMatchObject({ signal: 'SIGKILL' });
  }
  const last = await start();
  const head = await call(last, 'HEAD', path);
  expect([head.status, head.headers['upload-offset']]).toEqual([200, `${bytes.length}`]);
  expect((await call(last, 'GET', path)).json()).toMatchObject({ success: true, files: [{ path: 'a.png' }] });
  expect((await ask(last.url, '/t/a.png')).body).toEqual(bytes);
  expect(await originals()).toEqual(['a.png']);
  await last.end('SIGTERM');
}, 180_000);
