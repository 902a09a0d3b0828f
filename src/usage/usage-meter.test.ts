import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { createLocalCluster } from '../cluster/local.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import { UsageMeter, type UsageMeterOptions } from './usage-meter.ts';

const log = pino({ level: 'silent' }) as unknown as Log;
const NOON = Date.UTC(2026, 10, 27, 12);
const MIDNIGHT = Date.UTC(2026, 10, 28);
const TODAY = { space: '', from: '2026-11-27', to: '2026-11-27' };

let folder: string;
let database: OpenDatabase;
let now: number;
let meters: UsageMeter[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-usage-'));
  database = await openTestDatabase(join(folder, 'darkroom.db'));
  now = NOON;
  meters = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const meter of meters) await meter.stop();
  await database.close();
  await rm(folder, { recursive: true });
});

function open(options: Partial<UsageMeterOptions> = {}): UsageMeter {
  const readStored = async () => 1000;
  const cluster = createLocalCluster();
  const meter = new UsageMeter({ database, cluster, log, flushMs: 10_000, readStored, now: () => now, ...options });
  meters.push(meter);
  return meter;
}

const rows = () => database.db.selectFrom('usage_day').selectAll().orderBy('day').orderBy('key').execute();

describe('usage', () => {
  test('is zero without any, with what is stored now', async () => {
    const none = { requests: 0, deliveredBytes: 0, uploadedBytes: 0, renders: 0, renderMs: 0, transcodeMs: 0 };
    expect(await open().read('day', TODAY)).toEqual({
      rows: [{ name: '2026-11-27', ...none, storedBytes: 1000 }],
      total: { ...none, storedBytes: 1000 },
      storedBytes: 1000,
      monthBytes: 0,
    });
  });

  test('adds up what was counted before and after a write', async () => {
    const meter = open();
    const counter = meter.counter('');
    for (let n = 0; n < 3; n++) {
      counter.requests++;
      counter.deliveredBytes += 5_000_000_000;
      await meter.flush();
    }
    meter.counter('').uploadedBytes += 7;
    meter.countRender('a.jpg' as StoragePath, 12.4);
    meter.countTranscode('a.mp4' as StoragePath, 2000);
    const { total } = await meter.read('day', TODAY);
    expect(total).toEqual({
      requests: 3,
      deliveredBytes: 15_000_000_000,
      uploadedBytes: 7,
      renders: 1,
      renderMs: 12,
      transcodeMs: 2000,
      storedBytes: 1000,
    });
  });

  test('of several nodes adds up, also when they write at the same time', async () => {
    const nodes = Array.from({ length: 4 }, () => open());
    for (let round = 0; round < 10; round++) {
      for (const node of nodes) {
        node.counter('').requests++;
        node.counter('', 'k1').requests += 2;
      }
      await Promise.all(nodes.map((node) => node.flush()));
    }
    expect((await rows()).map(({ key, requests }) => [key, requests])).toEqual([
      ['', 40],
      ['k1', 80],
    ]);
  });

  test('is summed by day, space and key', async () => {
    const meter = open({ spaceOf: (path) => (path.startsWith('acme/') ? 'acme' : '') });
    meter.counter('', 'k1').requests += 1;
    meter.counterOf('acme/a.jpg' as StoragePath).requests += 2;
    await meter.flush();
    now = MIDNIGHT;
    meter.counter('').requests += 4;
    // What was counted since the last write belongs to the day of that write: the timer writes at midnight.
    await meter.flush();
    meter.counter('').requests += 8;
    const range = { space: '', from: '2026-11-26', to: '2026-11-28' };
    const summary = async (by: 'day' | 'space' | 'key', space = '') =>
      (await meter.read(by, { ...range, space })).rows.map(({ name, requests }) => [name, requests]);
    expect(await summary('day')).toEqual([
      ['2026-11-26', 0],
      ['2026-11-27', 7],
      ['2026-11-28', 8],
    ]);
    expect(await summary('space')).toEqual([
      ['', 13],
      ['acme', 2],
    ]);
    expect(await summary('key')).toEqual([
      ['', 14],
      ['k1', 1],
    ]);
    expect(await summary('space', 'acme')).toEqual([['acme', 2]]);
    expect((await meter.read('day', TODAY)).total.requests).toBe(7);
  });

  test('of the month begins with its first day', async () => {
    const meter = open();
    now = Date.UTC(2026, 9, 31, 12);
    await meter.flush();
    meter.counter('').deliveredBytes += 100;
    await meter.flush();
    now = NOON;
    await meter.flush();
    meter.counter('').deliveredBytes += 10;
    expect(await meter.read('day', { ...TODAY, from: '2026-10-31' })).toMatchObject({
      total: { deliveredBytes: 110 },
      monthBytes: 10,
    });
  });

  test('that the database does not take waits, and is part of answers', async () => {
    const meter = open();
    meter.counter('').requests += 2;
    const failing = vi.spyOn(database.db, 'transaction').mockImplementation(() => {
      throw new Error('the disk is full');
    });
    await meter.flush();
    meter.counter('').requests += 3;
    expect((await meter.read('day', TODAY)).total.requests).toBe(5);
    failing.mockRestore();
    expect(await rows()).toEqual([]);
    await meter.flush();
    expect(await rows()).toMatchObject([{ requests: 5 }]);
  });

  test('is written when the service stops', async () => {
    const meter = open();
    meter.counter('').requests++;
    await meter.stop();
    expect(await rows()).toMatchObject([{ space: '', day: '2026-11-27', key: '', requests: 1 }]);
  });

  test('takes bounded memory: more keys share the counter of their space', async () => {
    const meter = open({ maxCounters: 3 });
    for (let n = 0; n < 10; n++) meter.counter('', `k${n}`).requests++;
    const { total, rows: keys } = await meter.read('key', TODAY);
    expect([total.requests, keys.length]).toEqual([10, 4]);
  });

  test('counts for a counter that is held, however often it was written', async () => {
    const meter = open();
    const held = meter.counter('');
    for (let n = 0; n < 3; n++) {
      await meter.flush();
      held.requests++;
    }
    expect(meter.counter('')).toBe(held);
    expect((await meter.read('day', TODAY)).total.requests).toBe(3);
  });

  test('is written in its interval and at midnight', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    now = MIDNIGHT - 3000;
    const meter = open({ cluster: undefined });
    meter.start();
    meter.counter('').requests++;
    now = MIDNIGHT;
    vi.advanceTimersByTime(2999);
    expect(await rows()).toEqual([]);
    vi.advanceTimersByTime(1);
    await vi.waitFor(async () => expect(await rows()).toHaveLength(1));
    expect(await rows()).toMatchObject([{ day: '2026-11-27', requests: 1, storedBytes: null }]);
  });

  test('has the stored bytes of each space on each day', async () => {
    const stored: Record<string, number> = { '': 1000, acme: 200, beta: 300 };
    const meter = open({ readStored: async (space) => stored[space], spaces: () => ['acme', 'beta'] });
    await meter.recordStored();
    expect(await rows()).toHaveLength(3);
    now += 86_400_000;
    stored.acme = 250;
    const acme = { space: 'acme', from: '2026-11-27', to: '2026-11-28' };
    expect((await meter.read('day', acme)).rows).toMatchObject([{ storedBytes: 200 }, { storedBytes: 250 }]);
    expect((await meter.read('day', { ...acme, to: '2026-11-27' })).total).toMatchObject({ storedBytes: 200 });
  });

  test('has the stored bytes of a day from its first record, which one node makes', async () => {
    const readStored = vi.fn(async () => 1000);
    const spaces = ['acme'];
    const nodes = [open({ readStored, spaces: () => spaces }), open({ readStored, spaces: () => spaces })];
    for (const node of nodes) await node.recordStored();
    for (const node of nodes) await node.flush();
    expect(readStored.mock.calls).toEqual([[''], ['acme']]);
    spaces.push('beta');
    for (const node of nodes) await node.recordStored();
    expect(readStored.mock.calls.slice(2)).toEqual([['beta']]);
    now = MIDNIGHT;
    for (const node of nodes) await node.recordStored();
    expect(readStored).toHaveBeenCalledTimes(6);
  });

  test('has no stored bytes of a space that was deleted', async () => {
    const meter = open({ readStored: async (space) => (space === 'gone' ? undefined : 7), spaces: () => ['gone'] });
    await meter.recordStored();
    expect(await rows()).toMatchObject([{ space: '', storedBytes: 7 }]);
    expect((await meter.read('day', { ...TODAY, space: 'gone' })).storedBytes).toBe(0);
  });
});
