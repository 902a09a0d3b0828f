import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { linkBuses } from '../../test/linked-buses.ts';
import { type PurgeTarget, startPurgeTarget } from '../../test/purge-target.ts';
import { addSpace } from '../../test/space-rows.ts';
import type { Bus } from '../cluster/cluster.ts';
import { inTransaction } from '../db/locks.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createLog } from '../log.ts';
import type { StoragePath } from '../path.ts';
import type { WebhookManagement } from './managed-webhooks.ts';
import { createFileEventSink, createJobEventSink, type FileChange } from './payloads.ts';
import { EVENT_TYPES, type EventType } from './webhook.ts';
import { Webhooks } from './webhooks.ts';

let database: OpenDatabase;
let receiver: PurgeTarget;
let webhooks: Webhooks;
let acme: WebhookManagement;
let otherBus: Bus;

const createWebhooks = (bus: Bus) =>
  new Webhooks({
    db: database.db,
    bus,
    log: createLog({ level: 'silent', format: 'json' }),
    guard: { mayReach: () => true },
    pollMs: 20,
    settings: { timeoutMs: 5000, maxWaiting: 1000, keepMs: 3_600_000 },
  });

beforeEach(async () => {
  database = await openTestDatabase(':memory:');
  receiver = await startPurgeTarget();
  const buses = linkBuses(2);
  otherBus = buses[1] as Bus;
  webhooks = createWebhooks(buses[0] as Bus);
  await addSpace(database, 'acme', 'customers/acme');
  await addSpace(database, 'beta');
  acme = webhooks.inSpace('acme');
  await webhooks.start();
});
afterEach(async () => {
  await webhooks.stop(AbortSignal.timeout(5000));
  await receiver.close();
  await database.close();
});

const path = (text: string) => text as StoragePath;
const create = async (of: WebhookManagement, events: readonly EventType[] = EVENT_TYPES, folder = '') =>
  (await of.create({ url: receiver.url, events, folder: path(folder), enabled: true })).webhook.id;

/** Records changes as the catalog does. */
async function change(...changes: FileChange[]): Promise<void> {
  const sink = createFileEventSink(webhooks);
  await sink.write(database.db, changes);
  sink.written();
}

/** Returns types and data of the deliveries of a webhook, the oldest first. */
async function received(of: WebhookManagement, id: string): Promise<[string, unknown][]> {
  const deliveries = await of.deliveries(id, { limit: 50 });
  return deliveries.toReversed().map(({ payload }) => {
    const { type, data } = JSON.parse(payload);
    return [type, data];
  });
}

describe('the webhooks of a space', () => {
  test('are its own, up to twenty; the installation has as many', async () => {
    for (let n = 0; n < 20; n++) await create(acme);
    await expect(create(acme)).rejects.toMatchObject({ status: 409, code: 'webhook_conflict' });
    const own = await create(webhooks);
    expect(await acme.list()).toHaveLength(20);
    expect((await webhooks.list()).map(({ id }) => id)).toEqual([own]);
    expect(await webhooks.inSpace('beta').list()).toEqual([]);
  });

  test('do not exist elsewhere', async () => {
    const id = await create(acme);
    const { id: delivery } = await acme.test(id);
    for (const other of [webhooks, webhooks.inSpace('beta')]) {
      const actions = [
        () => other.find(id),
        () => other.update(id, { enabled: false }),
        () => other.remove(id),
        () => other.rotateSecret(id),
        () => other.test(id),
        () => other.deliveries(id, { limit: 1 }),
        () => other.redeliver(id, delivery),
      ];
      for (const action of actions)
        await expect(action()).rejects.toMatchObject({ status: 404, code: 'webhook_not_found' });
    }
    expect(await acme.find(id)).toMatchObject({ enabled: true });
    const { id: foreign } = await webhooks.test(await create(webhooks));
    await expect(acme.redeliver(id, foreign)).rejects.toMatchObject({ status: 404 });
  });

  test('receive inner paths of files of the space alone', async () => {
    const inSpace = await create(acme);
    const ofFolder = await create(acme, EVENT_TYPES, 'shop');
    const installation = await create(webhooks);
    const stat = { size: 3, etag: 'e' };
    await change(
      { type: 'file.stored', path: path('customers/acme/shop/a.png'), isFolder: false, stat },
      { type: 'file.stored', path: path('customers/acme/b.png'), isFolder: false, stat },
      { type: 'file.stored', path: path('customers/acme2/c.png'), isFolder: false, stat },
      { type: 'file.deleted', path: path('beta/d.png'), isFolder: false, trash: 'in' },
    );
    const file = { kind: 'file', size: 3, type: 'image/png', etag: 'e', restored: false };
    const shop = ['file.stored', { ...file, path: 'shop/a.png' }];
    expect(await received(acme, inSpace)).toEqual([shop, ['file.stored', { ...file, path: 'b.png' }]]);
    expect(await received(acme, ofFolder)).toEqual([shop]);
    expect((await received(webhooks, installation)).map(([, data]) => (data as FileChange).path)).toEqual([
      'customers/acme/shop/a.png',
      'customers/acme/b.png',
      'customers/acme2/c.png',
      'beta/d.png',
    ]);
  });

  test('receive redirects of their own alone, with inner paths', async () => {
    const id = await create(acme);
    const all = await create(webhooks);
    const redirect = (from: string, to: string): FileChange => ({
      type: 'redirect.created',
      path: path(to),
      from: path(from),
      isFolder: false,
    });
    await change(
      redirect('customers/acme/old.png', 'customers/acme/new.png'),
      redirect('customers/acme/out.png', 'secret/new.png'),
      redirect('secret/in.png', 'customers/acme/new.png'),
      { ...redirect('customers', 'secret'), isFolder: true },
    );
    const data = { kind: 'file', from: 'old.png', to: 'new.png' };
    expect(await received(acme, id)).toEqual([['redirect.created', data]]);
    expect(await received(webhooks, all)).toHaveLength(4);
  });

  test('receive a move across the border as a file that is stored or deleted', async () => {
    const id = await create(acme);
    const crossings = await create(acme, ['file.stored', 'file.deleted']);
    const stat = { size: 3, etag: 'e' };
    const move = (from: string, to: string, isFolder = false): FileChange => ({
      type: 'file.moved',
      path: path(to),
      from: path(from),
      isFolder,
      stat: isFolder ? undefined : stat,
    });
    await change(
      move('customers/acme/a.png', 'customers/acme/b.png'),
      move('secret/in.png', 'customers/acme/in.png'),
      move('customers/acme/out.png', 'beta/secret.png'),
      move('customers/acme/shop', 'beta/secret', true),
      move('secret/a.png', 'beta/a.png'),
    );
    const file = { kind: 'file', size: 3, type: 'image/png', etag: 'e' };
    const border = [
      ['file.stored', { ...file, path: 'in.png', restored: false }],
      ['file.deleted', { kind: 'file', path: 'out.png', trash: false }],
      ['file.deleted', { kind: 'folder', path: 'shop', trash: false }],
    ];
    expect(await received(acme, id)).toEqual([['file.moved', { ...file, path: 'b.png', from: 'a.png' }], ...border]);
    expect(await received(acme, crossings)).toEqual(border);
    expect(JSON.stringify(await received(acme, id))).not.toMatch(/secret|beta|customers/);
  });

  test('receive the end of what is around the space as the end of all of it', async () => {
    const id = await create(acme);
    await change({ type: 'file.deleted', path: path('customers'), isFolder: true });
    expect(await received(acme, id)).toEqual([['file.deleted', { kind: 'folder', path: '', trash: false }]]);
  });

  test('receive the ends of its own jobs, with its own URLs', async () => {
    const id = await create(acme);
    const beta = await create(webhooks.inSpace('beta'));
    const installation = await create(webhooks);
    const sink = createJobEventSink(webhooks, (job, space) => `${space ? `/b/${space.id}` : ''}/t/w_1/${job.path}`);
    const job = { id: 'j', transformation: 'w_1', status: 'completed', error: undefined };
    await sink.write(database.db, [
      { ...job, space: 'acme', path: path('customers/acme/a.mp4') },
      { ...job, space: '', path: path('customers/acme/b.mp4') },
    ]);
    expect(await received(acme, id)).toEqual([
      ['job.completed', { job: 'j', path: 'a.mp4', transformation: 'w_1', url: '/b/acme/t/w_1/a.mp4' }],
    ]);
    expect(await received(webhooks.inSpace('beta'), beta)).toEqual([]);
    expect((await received(webhooks, installation)).map(([, data]) => (data as FileChange).path)).toEqual([
      'customers/acme/a.mp4',
      'customers/acme/b.mp4',
    ]);
  });

  test('are changed, sent to again and deleted there', async () => {
    const id = await create(acme);
    expect(await acme.update(id, { folder: path('shop') })).toMatchObject({ folder: 'shop' });
    const { id: delivery } = await acme.test(id);
    await receiver.count(1);
    await expect.poll(async () => (await acme.deliveries(id, { limit: 1 }))[0]?.status).toBe('delivered');
    expect(await acme.redeliver(id, delivery)).toMatchObject({ id: delivery, status: 'pending' });
    await receiver.count(2);
    expect((await acme.rotateSecret(id)).secret).toMatch(/^whsec_/);
    await acme.remove(id);
    await expect(acme.find(id)).rejects.toMatchObject({ status: 404 });
  });

  test('end with the space, with their deliveries, on all nodes', async () => {
    const other = createWebhooks(otherBus);
    await other.start();
    const id = await create(acme, ['file.stored']);
    const beta = await create(webhooks.inSpace('beta'), ['file.deleted']);
    await acme.test(id);
    expect([webhooks, other].map((node) => node.isSubscribed('file.stored'))).toEqual([true, true]);
    await inTransaction(database.db, (transaction) => webhooks.removeOf(transaction, 'acme'));
    await webhooks.changed();
    expect(webhooks.isSubscribed('file.stored')).toBe(false);
    await expect.poll(() => other.isSubscribed('file.stored')).toBe(false);
    expect(await acme.list()).toEqual([]);
    expect(await database.db.selectFrom('outbox').selectAll().execute()).toEqual([]);
    expect((await webhooks.inSpace('beta').list()).map((webhook) => webhook.id)).toEqual([beta]);
    await other.stop(AbortSignal.timeout(5000));
  });
});
