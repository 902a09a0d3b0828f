import { mkdtemp, readdir, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fixture } from '../http.ts';
import { startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);
const ERROR = 50;

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-leaving-'));
});
afterAll(() => rm(data, { recursive: true, force: true }));

test('a client that leaves while its upload is prewarmed leaves the stored file and no error in the log', async () => {
  const service = await startServiceProcess({ DATA_DIR: data, API_KEY, LOG_REQUESTS: 'all' });
  const part = (name: string) => `--x\r\nContent-Disposition: form-data; name="${name}`;
  const body = Buffer.concat([
    Buffer.from(`${part('transformations')}"\r\n\r\n${[2000, 2001, 2002].map((w) => `w_${w},f_avif`).join(';')}\r\n`),
    Buffer.from(`${part('files')}"; filename="first.jpg"\r\n\r\n`),
    fixture('photo-2725x2225.jpg'),
    Buffer.from(`\r\n${part('files')}"; filename="second.jpg"\r\n\r\n`),
    fixture('photo-2725x2225.jpg'),
    Buffer.from('\r\n--x--\r\n'),
  ]);
  const headers = { 'x-api-key': API_KEY, 'content-type': 'multipart/form-data; boundary=x' };
  const upload = http.request(`${service.url}/upload`, { method: 'POST', headers, agent: false });
  upload.on('error', () => undefined);
  upload.end(body);
  const originals = () => readdir(join(data, 'originals'));
  await vi.waitUntil(async () => (await originals()).includes('first.jpg'), 20_000);
  upload.destroy();

  // The last step of an upload, whatever its outcome.
  const tempFiles = async () => {
    const [own = ''] = await readdir(join(data, 'tmp'));
    return readdir(join(data, 'tmp', own));
  };
  await vi.waitUntil(async () => (await tempFiles()).length === 0, 20_000);
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  const lines = service
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  const entries = lines.map((line) => JSON.parse(line) as { level: number; url?: string });
  expect(entries.map(({ url }) => url)).toContain('/upload');
  expect(entries.filter(({ level }) => level >= ERROR)).toEqual([]);
  expect(await originals()).toEqual(['first.jpg']);
});
