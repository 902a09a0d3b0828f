import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { type PurgeTarget, startPurgeTarget, status } from '../purge-target.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);
const asking = { headers: { 'x-api-key': API_KEY } };

let data: string;
let target: PurgeTarget;
let environment: Record<string, string>;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-purge-'));
  target = await startPurgeTarget();
  environment = {
    ...{ DATA_DIR: data, API_KEY, RENDER_WORKERS: '1' },
    ...{ CDN_TAGS: 'true', CDN_PURGE_URL: target.url, CDN_PURGE_RETRY_DELAY_MS: '1' },
  };
});
afterAll(async () => {
  await target.close();
  await rm(data, { recursive: true, force: true });
});

async function remove({ url }: ServiceProcess, name: string): Promise<void> {
  const form = new FormData();
  form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), name);
  expect((await fetch(`${url}/upload`, { method: 'POST', body: form, ...asking })).status).toBe(200);
  expect((await ask(url, `/storage/${name}`, { method: 'DELETE', ...asking })).status).toBe(200);
}

const paths = () => target.received.map(({ body }) => (JSON.parse(body) as { paths: string[] }).paths);

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'what was changed before %s is purged after the next start',
  async (signal) => {
    target.received.length = 0;
    const before = await startServiceProcess({ ...environment, CDN_PURGE_DELAY_MS: '10000' });
    await remove(before, `${signal}.png`);
    await before.end(signal);
    expect(target.received).toEqual([]);
    const after = await startServiceProcess(environment);
    await target.count(1);
    expect(paths()).toEqual([[`${signal}.png`]]);
    await after.end('SIGTERM');
  },
);

test('a CDN that was out of order when the service was killed is told by the next start, which waits for no retry', async () => {
  target.received.length = 0;
  target.answer(status(503, { 'retry-after': '3600' }));
  const before = await startServiceProcess(environment);
  await remove(before, 'one.png');
  await target.count(1);
  await before.end('SIGTERM');
  target.answer(status(200));
  const after = await startServiceProcess(environment);
  await target.count(2);
  expect(paths()).toEqual([['one.png'], ['one.png']]);
  await after.end('SIGTERM');
});
