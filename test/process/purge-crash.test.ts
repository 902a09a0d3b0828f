import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { type PurgeTarget, type Received, startPurgeTarget, status } from '../purge-target.ts';
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
    DATA_DIR: data,
    API_KEY,
    RENDER_WORKERS: '1',
    CDN_TAGS: 'true',
    CDN_PURGE_URL: target.url,
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

const pathsOf = ({ body }: Received) => (JSON.parse(body) as { paths: string[] }).paths;
const taken = () => target.received.filter((one) => one.status === 200).map(pathsOf);

test('what the CDN was not told before the service was killed, or has refused before it was stopped, is told by the next start', async () => {
  // Longer than the time from the change to the end of the service; if that takes longer, the CDN accepts nothing until
  // then.
  const killed = await startServiceProcess({ ...environment, CDN_PURGE_DELAY_MS: '4000' });
  target.answer(status(503));
  await remove(killed, 'killed.png');
  await killed.end('SIGKILL');
  target.answer(status(200));
  expect(taken()).toEqual([]);
  const stopped = await startServiceProcess(environment);
  await expect.poll(taken).toEqual([['killed.png']]);

  target.received.length = 0;
  target.answer(status(503, { 'retry-after': '3600' }));
  await remove(stopped, 'refused.png');
  await target.count(1);
  await stopped.end('SIGTERM');
  target.answer(status(200));
  const last = await startServiceProcess(environment);
  await target.count(2);
  expect(target.received.map(pathsOf)).toEqual([['refused.png'], ['refused.png']]);
  await last.end('SIGTERM');
});
