import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPreviousDatabase } from '../../test/previous-database.ts';
import { openDatabase } from '../db/open.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { Outbox } from './outbox.ts';

const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const AT = '2026-05-31T12:00:00.000Z';
const LATER = '2026-06-01T01:00:00.000Z';
const HOOK = '5d3c3c0e-0000-4000-8000-000000000000';
const ATTEMPT = { at: AT, responseStatus: 500, durationMs: 7, error: 'status 500' };
const CLAIM = { max: 10, leaseMs: 30_000 };

type Row = Record<string, string | number | null>;

const PURGE = { attempts: 0, dueAt: AT, lease: null, leaseUntil: null, createdAt: AT, failedAt: null, error: null };
const PURGES: readonly Row[] = [
  { id: 'p1', payload: 'failed.jpg', attempts: 9, failedAt: AT, error: 'status 403' },
  { id: 'p2', payload: 'new.jpg' },
  { id: 'p3', payload: 'retried.jpg', attempts: 2, dueAt: LATER, error: 'status 500' },
  { id: 'p4', payload: 'sending.jpg', attempts: 1, lease: 'a', leaseUntil: LATER },
].map((row) => ({ ...PURGE, target: 'cdn', ...row }));

const DELIVERY = { attempts: 0, log: '[]', dueAt: AT, lease: null, leaseUntil: null, createdAt: AT, endedAt: null };
const DELIVERIES: readonly Row[] = [
  { id: 'msg_1', status: 'delivered', attempts: 1, log: JSON.stringify([{ ...ATTEMPT, error: null }]), endedAt: AT },
  { id: 'msg_2', status: 'failed', attempts: 8, log: JSON.stringify([ATTEMPT, ATTEMPT]), endedAt: AT },
  { id: 'msg_3', status: 'pending', attempts: 1, log: JSON.stringify([ATTEMPT]), dueAt: LATER },
  { id: 'msg_4', status: 'pending' },
].map((row) => ({ ...DELIVERY, webhook: HOOK, event: 'file.stored', payload: `{"id":"${row.id}"}`, ...row }));

async function insert(db: Kysely<unknown>, table: string, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)));
    await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(db);
  }
}

async function storePrevious(db: Kysely<unknown>): Promise<void> {
  await insert(db, 'outbox', PURGES);
  await insert(db, 'webhook_delivery', DELIVERIES);
  await insert(db, 'storage_change', [{ id: 'c', node: 'n' }]);
}

describe('after an upgrade from the previous version', () => {
  let folder: string;
  let database: OpenDatabase;
  let outbox: Outbox;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'darkroom-upgrade-'));
    database = await openDatabase(await createPreviousDatabase(join(folder, 'darkroom.db'), undefined, storePrevious));
    outbox = new Outbox(database.db, { maxWaitMs: 14 * 3_600_000, now: () => NOW });
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  test('the log of a webhook is what it was, and comes in the same order', async () => {
    const deliveries = await outbox.page(HOOK, { limit: 10 });
    expect(deliveries.map(({ id, event, payload, status }) => [id, event, payload, status])).toEqual([
      ['msg_4', 'file.stored', '{"id":"msg_4"}', 'pending'],
      ['msg_3', 'file.stored', '{"id":"msg_3"}', 'pending'],
      ['msg_2', 'file.stored', '{"id":"msg_2"}', 'failed'],
      ['msg_1', 'file.stored', '{"id":"msg_1"}', 'delivered'],
    ]);
    expect(deliveries.map(({ attempts }) => attempts)).toEqual([
      [],
      [ATTEMPT],
      [ATTEMPT, ATTEMPT],
      [{ ...ATTEMPT, error: null }],
    ]);
    expect(deliveries[1]).toMatchObject({ createdAt: new Date(AT), dueAt: new Date(LATER) });
    expect(await outbox.waiting()).toEqual(new Map([[HOOK, 2]]));
  });

  test('what waits for a webhook is sent when it is due, and what has ended can be sent again', async () => {
    expect(await outbox.claim(HOOK, CLAIM)).toMatchObject([{ id: 'msg_4', tries: 1 }]);
    expect(await outbox.redeliver(HOOK, 'msg_2')).toBe(true);
    expect(await outbox.claim(HOOK, CLAIM)).toMatchObject([{ id: 'msg_2', tries: 1 }]);
  });

  test('purges wait, are being sent or have failed as before', async () => {
    expect(await outbox.stats('cdn')).toEqual({
      waiting: 3,
      failed: 1,
      oldestAt: new Date(AT),
      lastError: 'status 500',
    });
    expect(await outbox.claim('cdn', CLAIM)).toMatchObject([{ payload: 'new.jpg', tries: 1 }]);
    expect(await outbox.nextDueIn('cdn')).toBe(30_000);
    await outbox.revive('cdn');
    const revived = await outbox.claim('cdn', CLAIM);
    expect(revived.map(({ payload, tries }) => [payload, tries])).toEqual([
      ['failed.jpg', 1],
      ['retried.jpg', 1],
    ]);
  });

  test('new messages come after the old ones', async () => {
    const [id] = await outbox.add([{ target: HOOK, event: 'file.deleted', payload: '{}' }]);
    expect((await outbox.page(HOOK, { limit: 1 }))[0]?.id).toBe(id);
  });

  test('tables that are no longer used are gone', async () => {
    const tables = await database.db.introspection.getTables();
    const names = tables.map(({ name }) => name);
    expect(names).toContain('outbox');
    expect(names).not.toContain('webhook_delivery');
    expect(names).not.toContain('storage_change');
  });
});
