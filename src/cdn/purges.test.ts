import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type PurgeTarget, startPurgeTarget, status } from '../../test/purge-target.ts';
import { createLocalCluster } from '../cluster/local.ts';
import { openDatabase } from '../db/open.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { cacheTag } from '../delivery/cache-tags.ts';
import { createLog } from '../log.ts';
import { Outbox } from '../outbox/outbox.ts';
import { parsePath, ROOT } from '../path.ts';
import { MAX_PURGE_DELAY_MS } from './purge-sender.ts';
import { type PurgeSettings, Purges } from './purges.ts';

const TOKEN = 'token-0123456789';

let folder: string;
let database: OpenDatabase;
let target: PurgeTarget;
let lines: string[];
const started: Purges[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'purges-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  target = await startPurgeTarget();
  lines = [];
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((purges) => purges.stop(AbortSignal.timeout(5000))));
  await target.close();
  await database.close();
  await rm(folder, { recursive: true });
});

function create(overrides: Partial<PurgeSettings> = {}): Purges {
  const purges = new Purges({
    settings: {
      url: target.url,
      style: 'generic',
      token: TOKEN,
      delayMs: 40,
      retryMax: 2,
      retryDelayMs: 1,
      maxWaiting: 100,
      ...overrides,
    },
    outbox: new Outbox(database.db, { maxWaitMs: MAX_PURGE_DELAY_MS }),
    bus: createLocalCluster().bus,
    log: createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(line) }),
  });
  started.push(purges);
  return purges;
}

const bodies = () => target.received.map(({ body }) => JSON.parse(body));
const waiting = async () =>
  (await database.db.selectFrom('outbox').select('payload').execute()).map((row) => row.payload);
const tags = (...paths: string[]) => paths.map((path) => cacheTag(path === '' ? ROOT : parsePath(path)));

test('what changes several times at once is purged once', async () => {
  // Allows for a busy host that is slow with all three.
  const purges = create({ delayMs: 1000 });
  for (const path of ['a.jpg', 'b.jpg', 'a.jpg']) await purges.add(parsePath(path), 'file');
  purges.start();
  await target.count(1);
  expect(bodies()).toEqual([{ tags: tags('a.jpg', 'b.jpg'), paths: ['a.jpg', 'b.jpg'] }]);
});

test('what is purged with everything is not named', async () => {
  const purges = create();
  await purges.add(ROOT, 'folder');
  await purges.add(parsePath('a.jpg'), 'file');
  purges.start();
  await target.count(1);
  expect(bodies()).toEqual([{ tags: tags(''), paths: [''] }]);
});

test('a change is written down before it begins, and is not made when that is impossible', async () => {
  const purges = create();
  expect(await purges.during(parsePath('a.jpg'), 'file', waiting)).toEqual(['a.jpg']);
  vi.spyOn(database.db, 'transaction').mockImplementationOnce(() => {
    throw new Error('the database is locked');
  });
  const change = vi.fn();
  await expect(purges.during(parsePath('b.jpg'), 'file', change)).rejects.toThrow('the database is locked');
  expect(change).not.toHaveBeenCalled();
});

test('a change that takes longer than a purge waits is purged again after it, also when it fails', async () => {
  const purges = create();
  purges.start();
  const slow = async () => {
    await target.count(1);
    throw new Error('half way');
  };
  await expect(purges.during(parsePath('products'), 'folder', slow)).rejects.toThrow('half way');
  await target.count(2);
  expect(bodies().map(({ paths }) => paths)).toEqual([['products'], ['products']]);
});

test('when too many changes wait, everything is purged instead', async () => {
  const purges = create({ maxWaiting: 3 });
  for (const n of [1, 2, 3]) await purges.add(parsePath(`${n}.jpg`), 'file');
  expect(await waiting()).toEqual(['1.jpg', '2.jpg', '3.jpg']);
  await purges.add(parsePath('4.jpg'), 'file');
  expect(await waiting()).toEqual(['']);
});

test('a folder below those that have a tag is purged with the last one above it that has; a file has its own', async () => {
  const purges = create();
  const deep = Array.from({ length: 20 }, (_, n) => `f${n}`);
  const path = parsePath(deep.join('/'));
  const tagged = deep.slice(0, 16).join('/');
  await purges.add(path, 'file');
  await purges.add(path, 'folder');
  await purges.add(path, 'either');
  expect(await waiting()).toEqual([path, tagged, path, tagged]);
});

test('an answer that denies what its status says is a failure, and neither log nor figures show the token', async () => {
  target.answer(status(200, {}, '{"success":false}'), status(403, {}, `no rights: ${TOKEN}`));
  const purges = create({ style: 'cloudflare' });
  purges.start();
  await purges.add(parsePath('a.jpg'), 'file');
  await vi.waitUntil(async () => (await purges.stats()).failed === 1, { interval: 5, timeout: 10_000 });
  const reasons = lines.map((line) => JSON.parse(line)).map(({ reason }) => reason);
  expect(reasons).toEqual([
    'the answer does not say that it was done',
    'status 403: no rights: [secret]',
    'status 403: no rights: [secret]',
    'status 403: no rights: [secret]',
  ]);
  expect(await purges.stats()).toMatchObject({ waiting: 0, lastError: 'status 403: no rights: [secret]' });
  expect(purges.requests).toEqual({ received: 0, failed: 3 });
});
