import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../db/open.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createLog } from '../log.ts';
import { ActivityLog, type ActivityTotals } from './activity.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 28, 9, 30);

let folder: string;
let database: OpenDatabase;
let now: number;
let totals: ActivityTotals;
const logs: ActivityLog[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-activity-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  now = START;
  set();
});
afterEach(async () => {
  await Promise.all(logs.splice(0).map((log) => log.stop()));
  await database.close();
  await rm(folder, { recursive: true });
});

function set(change: Partial<ActivityTotals> & { requests?: number } = {}): void {
  const { requests = 0, ...rest } = change;
  const counts = { requests, hits: 0, misses: 0, bytesSent: 0, renders: 0 };
  totals = { counts, renderTimes: {}, errors: {}, ...rest };
}

function open(db: Pick<OpenDatabase, 'db' | 'reader'> = database): ActivityLog {
  const log = createLog({ level: 'silent', format: 'json' });
  const activity = new ActivityLog({ database: db, log, read: async () => totals, now: () => now });
  logs.push(activity);
  return activity;
}

test('an hour has what was added in it, by all nodes, also after a restart', async () => {
  const nodes = [open(), open()];
  set({ requests: 5, errors: { rate_limited: 2 } });
  for (const node of nodes) await node.record();
  now += HOUR_MS;
  set({ requests: 8, errors: { rate_limited: 2, file_too_large: 3 } });
  await nodes[0]?.record();
  set({ requests: 1 });
  const { hours, errors } = await open().read(1);
  expect(hours.map(({ at, requests }) => [at.toISOString(), requests])).toEqual([
    ['2026-11-28T09:00:00.000Z', 10],
    ['2026-11-28T10:00:00.000Z', 4],
  ]);
  expect(errors).toEqual([
    { code: 'rate_limited', count: 4 },
    { code: 'file_too_large', count: 3 },
  ]);
});

test('percentiles are those of all renders of an hour', async () => {
  const activity = open();
  set({ renderTimes: { 10: 50, 100: 45, 2000: 5 } });
  await activity.record();
  expect((await activity.read(1)).hours).toMatchObject([{ renderP50Ms: 10, renderP95Ms: 100 }]);
  set({ renderTimes: { 10: 50, 100: 45, 2000: 500 } });
  expect((await activity.read(1)).hours).toMatchObject([{ renderP50Ms: 2000, renderP95Ms: 2000 }]);
});

test('hours in between in which nothing happened are there, and those before the first one are not', async () => {
  const activity = open();
  set({ requests: 1 });
  await activity.record();
  now += 3 * HOUR_MS;
  const { hours } = await activity.read(30);
  expect(hours.map(({ requests, renderP95Ms }) => [requests, renderP95Ms])).toEqual([
    [1, undefined],
    [0, undefined],
    [0, undefined],
    [0, undefined],
  ]);
});

test('it holds 30 days and no more', async () => {
  const activity = open();
  const rows = Array.from({ length: 800 }, (_, index) => ({
    hour: Math.floor(now / HOUR_MS) - index,
    name: 'requests',
    count: 1,
  }));
  await database.db.insertInto('activity_hour').values(rows).execute();
  expect((await activity.read(30)).hours).toHaveLength(720);
  expect((await activity.read(1)).hours).toHaveLength(24);
  const { count } = await database.db
    .selectFrom('activity_hour')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  expect(count).toBeLessThanOrEqual(721);
});

test('what cannot be written waits for the database', async () => {
  const broken = { reader: database.reader, db: undefined as unknown as OpenDatabase['db'] };
  const state = { db: broken.db };
  const activity = open({
    reader: database.reader,
    get db() {
      return state.db;
    },
  });
  set({ requests: 3 });
  await activity.record();
  state.db = database.db;
  set({ requests: 5 });
  await activity.record();
  expect((await activity.read(1)).hours).toMatchObject([{ requests: 5 }]);
});
