import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { type PurgeTarget, startPurgeTarget, status } from '../purge-target.ts';
import { killAt } from './kill-at.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);
const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' };
/** A delivery in progress at the kill is repeated when its lease has expired, after 40 seconds. */
const AFTER_LEASE_MS = 90_000;

let data: string;
let receiver: PurgeTarget;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-webhook-'));
  receiver = await startPurgeTarget();
});
afterAll(async () => {
  await receiver.close();
  await rm(data, { recursive: true, force: true });
});

const start = (options = '') =>
  startServiceProcess({
    DATA_DIR: data,
    API_KEY,
    RENDER_WORKERS: '1',
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.1',
    ...(options && { NODE_OPTIONS: options }),
  });

function upload({ url }: ServiceProcess, name: string, folder = ''): Promise<Response> {
  const form = new FormData();
  form.append('folder', folder);
  form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), name);
  return fetch(`${url}/upload`, { method: 'POST', body: form, headers: { 'x-api-key': API_KEY } });
}

/** Returns the received events, each once. */
function told(): string[] {
  const bodies = receiver.received.filter((one) => one.status === 200).map(({ body }) => JSON.parse(body));
  return [
    ...new Set(bodies.map(({ type, data: { path, from } }) => [type, from, path].filter(Boolean).join(' '))),
  ].sort();
}

test('no event is lost, whether the service is killed in the middle of a change, after it, or while it tells of it', async () => {
  const first = await start();
  const body = JSON.stringify({ url: receiver.url, events: ['file.stored', 'file.moved', 'file.deleted'] });
  expect((await ask(first.url, '/webhooks', { method: 'POST', headers, body })).status).toBe(200);
  receiver.answer(status(503));
  await upload(first, 'refused.png');
  await receiver.count(1);
  await first.end('SIGKILL');
  expect(told()).toEqual([]);
  receiver.answer(status(200));

  // The file exists, and no row reports it.
  const second = await start(killAt('link', 'after', /tmp/));
  await Promise.all([upload(second, 'stored.png').catch(() => undefined), second.exited]);
  // It has its new name, and the old one still exists.
  const third = await start(killAt('link', 'after', /refused\.png$/));
  const rename = { method: 'PATCH', headers, body: JSON.stringify({ name: 'renamed.png' }) };
  await Promise.all([ask(third.url, '/storage/refused.png', rename).catch(() => undefined), third.exited]);

  // A folder has its new name, and its rows have the old one.
  const fourth = await start(killAt('rename', 'after', /tour$/));
  await upload(fourth, 'a.png', 'tour');
  const move = { method: 'PATCH', headers, body: JSON.stringify({ name: 'journey' }) };
  await Promise.all([ask(fourth.url, '/storage/tour', move).catch(() => undefined), fourth.exited]);

  const last = await start();
  await expect
    .poll(told, { timeout: AFTER_LEASE_MS })
    .toEqual([
      'file.moved refused.png renamed.png',
      'file.moved tour journey',
      'file.stored refused.png',
      'file.stored stored.png',
      'file.stored tour/a.png',
    ]);
  await last.end('SIGTERM');
});
