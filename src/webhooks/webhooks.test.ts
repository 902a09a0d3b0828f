import { afterEach, beforeEach, expect, test } from 'vitest';
import { type PurgeTarget, startPurgeTarget, status } from '../../test/purge-target.ts';
import { createLocalCluster } from '../cluster/local.ts';
import { openDatabase } from '../db/open.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createLog } from '../log.ts';
import type { StoragePath } from '../path.ts';
import { waitAfter } from './schedule.ts';
import type { WebhookEvent } from './webhook.ts';
import { Webhooks } from './webhooks.ts';

const HOUR_MS = 3_600_000;
const EVENT: WebhookEvent = {
  type: 'file.stored',
  paths: ['a.png' as StoragePath],
  isFolder: false,
  data: { path: 'a.png' },
};

let database: OpenDatabase;
let receiver: PurgeTarget;
let now: number;
const opened: Webhooks[] = [];
beforeEach(async () => {
  database = await openDatabase({ file: ':memory:' });
  receiver = await startPurgeTarget();
  now = Date.UTC(2026, 0, 1);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((webhooks) => webhooks.stop(AbortSignal.timeout(5000))));
  await receiver.close();
  await database.close();
});

async function open(settings = {}): Promise<Webhooks> {
  const webhooks = new Webhooks({
    db: database.db,
    bus: createLocalCluster().bus,
    log: createLog({ level: 'silent', format: 'json' }),
    guard: { mayReach: () => true },
    now: () => now,
    pauseMs: 0,
    pollMs: 20,
    settings: { timeoutMs: 5000, maxWaiting: 100_000, keepMs: 7 * 24 * HOUR_MS, ...settings },
  });
  opened.push(webhooks);
  await webhooks.start();
  return webhooks;
}

const create = async (webhooks: Webhooks) =>
  (await webhooks.create({ url: receiver.url, events: ['file.stored'], folder: '' as StoragePath, enabled: true }))
    .webhook.id;

async function notify(webhooks: Webhooks, count = 1): Promise<void> {
  for (let n = 0; n < count; n++) await webhooks.notify(database.db, [EVENT]);
  webhooks.wake();
}

const deliveryOf = async (webhooks: Webhooks, id: string) => (await webhooks.deliveries(id, { limit: 1 }))[0];

/** Waits until the log has that many attempts of the newest delivery. */
async function attempts(webhooks: Webhooks, id: string, count: number): Promise<void> {
  await expect.poll(async () => (await deliveryOf(webhooks, id))?.attempts.length, { interval: 5 }).toBe(count);
}

test('a delivery has eight attempts in a day, by a schedule that grows; then it is given up', async () => {
  receiver.answer(status(500, {}, 'broken'));
  const webhooks = await open();
  const id = await create(webhooks);
  const start = now;
  await notify(webhooks);
  for (let n = 1; n < 8; n++) {
    await attempts(webhooks, id, n);
    const delivery = await deliveryOf(webhooks, id);
    expect(delivery?.status).toBe('pending');
    // Not a moment before.
    now = (delivery?.dueAt.getTime() ?? 0) - 1;
    webhooks.wake();
    now += 1;
    webhooks.wake();
  }
  await attempts(webhooks, id, 8);
  expect((now - start) / HOUR_MS).toBeGreaterThan(21);
  expect((now - start) / HOUR_MS).toBeLessThan(27);
  const delivery = await deliveryOf(webhooks, id);
  expect(delivery?.status).toBe('failed');
  expect(delivery?.attempts[0]).toMatchObject({ responseStatus: 500, error: 'status 500: broken' });
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([delivery?.id]));
  expect(webhooks.attempts).toEqual({ delivered: 0, failed: 7, given_up: 1 });
  expect((await webhooks.find(id)).enabled).toBe(true);
});

test('a webhook that has received nothing for days is disabled when a delivery is given up', async () => {
  receiver.answer(status(500));
  const webhooks = await open();
  const id = await create(webhooks);
  for (let day = 0; day < 4; day++) {
    await notify(webhooks);
    for (let n = 1; n <= 8; n++) {
      await attempts(webhooks, id, n);
      now = Math.max(now, (await deliveryOf(webhooks, id))?.dueAt.getTime() ?? 0);
      webhooks.wake();
    }
    if (!(await webhooks.find(id)).enabled) break;
  }
  await expect.poll(async () => (await webhooks.find(id)).enabled).toBe(false);
  expect((await webhooks.find(id)).disabledReason).toBe('Nothing was received for days.');
});

test('one that answers again is not failing any more', async () => {
  receiver.answer(status(500), status(200));
  const webhooks = await open();
  const id = await create(webhooks);
  await notify(webhooks);
  await attempts(webhooks, id, 1);
  await expect.poll(async () => (await webhooks.find(id)).failingSince).toEqual(new Date(now));
  now += HOUR_MS;
  webhooks.wake();
  await attempts(webhooks, id, 2);
  await expect.poll(async () => (await webhooks.find(id)).failingSince).toBeUndefined();
  expect((await deliveryOf(webhooks, id))?.status).toBe('delivered');
});

test('Retry-After is heeded where it is longer than the schedule', () => {
  expect(waitAfter(1, HOUR_MS)).toBe(HOUR_MS);
  expect(waitAfter(6, HOUR_MS)).toBeGreaterThan(7 * HOUR_MS);
  expect(waitAfter(8, HOUR_MS)).toBeUndefined();
});

test('while one delivery hangs, three others of its webhook are under way, and those of other webhooks', async () => {
  const responses: (() => void)[] = [];
  receiver.answer((response) => void responses.push(() => response.end()));
  const webhooks = await open();
  const one = await create(webhooks);
  const two = await create(webhooks);
  await notify(webhooks, 6);
  await receiver.count(8);
  expect(await webhooks.waiting()).toBe(12);
  receiver.answer(status(200));
  for (const end of responses.splice(0)) end();
  await expect.poll(() => webhooks.waiting()).toBe(0);
  expect((await webhooks.deliveries(one, { limit: 10, status: 'delivered' })).length).toBe(6);
  expect((await webhooks.deliveries(two, { limit: 10, status: 'delivered' })).length).toBe(6);
});

test('what is written down in a transaction that fails is never sent', async () => {
  const webhooks = await open();
  const id = await create(webhooks);
  const failing = database.db.transaction().execute(async (transaction) => {
    await webhooks.notify(transaction, [EVENT]);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await notify(webhooks);
  await receiver.count(1);
  expect((await webhooks.deliveries(id, { limit: 10 })).length).toBe(1);
});

test('what is not sent when the service stops is sent by the next start', async () => {
  receiver.answer(() => undefined);
  const first = await open();
  const id = await create(first);
  await notify(first);
  await receiver.count(1);
  await first.stop(AbortSignal.abort());
  receiver.answer(status(200));
  const second = await open();
  await receiver.count(2);
  await expect.poll(async () => (await deliveryOf(second, id))?.status).toBe('delivered');
});

test('a webhook for which too much waits is disabled, and says so', async () => {
  receiver.answer(status(500));
  const webhooks = await open({ maxWaiting: 10 });
  const id = await create(webhooks);
  await notify(webhooks, 1000);
  await expect.poll(async () => (await webhooks.find(id)).enabled).toBe(false);
  expect((await webhooks.find(id)).disabledReason).toContain('WEBHOOK_QUEUE_MAX');
});

test('where there is no webhook, an event asks the database nothing', async () => {
  const webhooks = await open();
  const broken = new Proxy({} as OpenDatabase['db'], {
    get: () => () => {
      throw new Error('asked');
    },
  });
  await webhooks.notify(broken, [EVENT]);
  expect(webhooks.isSubscribed('file.stored')).toBe(false);
  await create(webhooks);
  expect([webhooks.isSubscribed('file.stored'), webhooks.isSubscribed('job.error')]).toEqual([true, false]);
});
