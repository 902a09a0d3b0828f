import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { createKeyring } from '../auth/keyring.ts';
import { createLocalCluster } from '../cluster/local.ts';
import { inTransaction } from '../db/locks.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import { WebhookRows } from '../webhooks/webhook-rows.ts';
import { type AuditEntry, actionsOf, NOBODY } from './audit-entry.ts';
import { AuditLog, type AuditLogOptions } from './audit-log.ts';

const DAY_MS = 86_400_000;
const NOON = Date.UTC(2026, 10, 27, 12);

let folder: string;
let database: OpenDatabase;
let audit: AuditLog;
let lines: Record<string, unknown>[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-audit-'));
  database = await openTestDatabase(join(folder, 'darkroom.db'));
  lines = [];
  audit = open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await audit.stop();
  await database.close();
  await rm(folder, { recursive: true });
});

function open(options: Partial<AuditLogOptions> = {}): AuditLog {
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) }) as unknown as Log;
  return new AuditLog({ db: database.db, cluster: createLocalCluster(), log, keepMs: 90 * DAY_MS, ...options });
}

function entry(more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: new Date(NOON),
    space: '',
    actor: { type: 'key', id: 'k1', name: 'CI' },
    action: 'file.moved',
    target: 'a.jpg',
    detail: { to: 'b.jpg' },
    address: '203.0.113.7',
    requestId: 'r-1',
    ...more,
  };
}

const at = (minutes: number) => new Date(NOON + minutes * 60_000);
const page = (query: Partial<Parameters<AuditLog['page']>[0]> = {}) => audit.page({ space: '', limit: 100, ...query });
const targets = async (query?: Parameters<typeof page>[0]) => (await page(query)).map(({ target }) => target);

describe('the audit log', () => {
  test('returns what was recorded', async () => {
    audit.record([entry()]);
    expect(await page()).toEqual([{ ...entry(), id: 1 }]);
  });

  test('stores an entry without a target, an actor or an address', async () => {
    audit.record([entry({ actor: NOBODY, target: undefined, detail: undefined, address: null, requestId: null })]);
    expect(await page()).toMatchObject([{ actor: NOBODY, target: null, detail: {}, address: null, requestId: null }]);
  });

  test('lists the newest first, and of one moment the last that was written', async () => {
    audit.record([
      entry({ target: 'b', at: at(1) }),
      entry({ target: 'c', at: at(1) }),
      entry({ target: 'a', at: at(0) }),
    ]);
    expect(await targets()).toEqual(['c', 'b', 'a']);
  });

  test('continues after the last entry of a page', async () => {
    audit.record(Array.from({ length: 5 }, (_, n) => entry({ target: `${n}`, at: at(n < 3 ? 0 : 1) })));
    const first = await page({ limit: 3 });
    const last = first.at(-1);
    const after = { at: last?.at.toISOString() ?? '', id: last?.id ?? 0 };
    expect(first.map(({ target }) => target)).toEqual(['4', '3', '2']);
    expect(await targets({ after })).toEqual(['1', '0']);
  });

  test('finds entries by action, family, actor, target and time', async () => {
    audit.record([
      entry({ target: 'a', action: 'key.created', at: at(0) }),
      entry({ target: 'b', action: 'key.deleted', at: at(1), actor: { type: 'user', id: 'u1', name: 'Ada' } }),
      entry({ target: 'c', action: 'file.deleted', at: at(2) }),
    ]);
    expect(await targets({ actions: ['key.deleted'] })).toEqual(['b']);
    expect(await targets({ actions: actionsOf('key') })).toEqual(['b', 'a']);
    expect(await targets({ actions: actionsOf('key'), limit: 1 })).toEqual(['b']);
    expect(await targets({ actor: 'u1' })).toEqual(['b']);
    expect(await targets({ target: 'c' })).toEqual(['c']);
    expect(await targets({ from: at(1) })).toEqual(['c', 'b']);
    expect(await targets({ to: at(1) })).toEqual(['a']);
    expect(await targets({ actor: 'k1', target: 'a', actions: actionsOf('key'), from: at(0), to: at(1) })).toEqual([
      'a',
    ]);
  });

  test('shows the entries of one space only', async () => {
    audit.record([entry({ space: 'acme', target: 'x' }), entry({ target: 'y' })]);
    expect([await targets({ space: 'acme' }), await targets()]).toEqual([['x'], ['y']]);
  });

  test('shows the entries of all spaces, by any filter and in pages', async () => {
    audit.record([
      entry({ space: 'acme', target: 'x', at: at(0) }),
      entry({ target: 'y', at: at(1) }),
      entry({ space: 'globex', target: 'x', at: at(2), action: 'key.created' }),
    ]);
    const space = undefined;
    expect((await page({ space })).map((one) => [one.space, one.target])).toEqual([
      ['globex', 'x'],
      ['', 'y'],
      ['acme', 'x'],
    ]);
    expect(await targets({ space, target: 'x', actions: ['file.moved'] })).toEqual(['x']);
    expect(await targets({ space, actor: 'k1', actions: actionsOf('key') })).toEqual(['x']);
    expect(await targets({ space, after: { at: at(2).toISOString(), id: 3 }, limit: 1 })).toEqual(['y']);
  });

  test('cannot be changed', async () => {
    audit.record([entry()]);
    await audit.flush();
    const change = database.db.updateTable('audit').set({ target: 'other' }).execute();
    await expect(change).rejects.toThrow('entries of the audit log cannot be changed');
    expect(await targets()).toEqual(['a.jpg']);
  });

  test('bounds texts and lists, and stores characters that no database takes', async () => {
    const detail = { name: 'n'.repeat(10_000), fields: Array<string>(1000).fill('f') };
    audit.record([entry({ target: `a\0b\ud800${'c'.repeat(10_000)}`, detail })]);
    const [stored] = await page();
    expect(stored?.target).toMatch(/^a\ufffdb\ufffdc{4092}…$/);
    expect(stored?.detail).toEqual({ name: `${'n'.repeat(500)}…`, fields: Array<string>(100).fill('f') });
  });

  test('writes a line for each entry, without its time twice', async () => {
    audit.record([entry()]);
    const { at: _, ...rest } = entry();
    expect(lines).toMatchObject([{ msg: 'audit', audit: rest }]);
  });
});

describe('an entry of a change', () => {
  test('is stored with it, or not at all', async () => {
    await inTransaction(database.db, (transaction) => audit.write(transaction, entry({ target: 'done' })));
    const failing = inTransaction(database.db, async (transaction) => {
      await audit.write(transaction, entry({ target: 'undone' }));
      throw new Error('the change failed');
    });
    await expect(failing).rejects.toThrow('the change failed');
    expect(await targets()).toEqual(['done']);
  });

  test('that cannot be stored undoes the change of a key or a webhook', async () => {
    const keyring = createKeyring({ database });
    const webhooks = new WebhookRows(database.db);
    const hook = {
      url: 'https://a.example/',
      events: ['file.stored'],
      folder: '' as StoragePath,
      enabled: true,
    } as const;
    const { id } = await keyring.create();
    const webhook = (await webhooks.add(hook, 9))?.webhook.id ?? '';
    const fail = async () => {
      throw new Error('no entry');
    };
    for (const change of [
      () => keyring.create({ name: 'other' }, fail),
      () => keyring.update(id, { enabled: false }, fail),
      () => keyring.remove(id, fail),
      () => webhooks.add(hook, 9, '', fail),
      () => webhooks.update(webhook, { enabled: false }, '', fail),
      () => webhooks.rotateSecret(webhook, fail),
      () => webhooks.remove(webhook, fail),
    ]) {
      await expect(change()).rejects.toThrow('no entry');
    }
    expect(await keyring.list()).toMatchObject([{ id, enabled: true }]);
    expect(await webhooks.list()).toMatchObject([{ id: webhook, enabled: true }]);
    expect((await webhooks.address(webhook))?.secrets).toHaveLength(1);
  });
});

describe('while the database does not take entries, the audit log', () => {
  /** Lets writes fail until the returned function is called. */
  function fail(): () => void {
    const failing = vi.spyOn(database.db, 'transaction').mockImplementation(() => {
      throw new Error('the disk is full');
    });
    return () => failing.mockRestore();
  }

  test('keeps them for later, in their order', async () => {
    const recover = fail();
    audit.record([entry({ target: 'a' })]);
    await audit.flush();
    audit.record([entry({ target: 'b' })]);
    await audit.flush();
    recover();
    expect(await targets()).toEqual(['b', 'a']);
    expect(audit.dropped).toBe(0);
  });

  test('drops those above its bound, counts them and says so once', async () => {
    await audit.stop();
    audit = open({ maxQueued: 3 });
    const recover = fail();
    for (let n = 0; n < 5; n++) {
      audit.record([entry({ target: `${n}` })]);
      await audit.flush();
    }
    recover();
    expect(await targets()).toEqual(['2', '1', '0']);
    expect(audit.dropped).toBe(2);
    const messages = lines.map(({ msg }) => msg).filter((msg) => msg !== 'audit');
    expect(messages).toEqual([
      'Entries of the audit log cannot be stored',
      'Entries of the audit log are dropped',
      'Entries of the audit log can be stored again',
    ]);
  });
});

test('entries are deleted after their time, in several steps', async () => {
  const old = Array.from({ length: 2500 }, () => entry({ at: new Date(NOON - 91 * DAY_MS) }));
  audit.record([...old, entry({ target: 'new', at: new Date(NOON - 89 * DAY_MS) })]);
  await audit.stop();
  audit = open({ now: () => NOON });
  await audit.sweep();
  expect(await targets()).toEqual(['new']);
});

test('without retention, entries are lines of the log only, and older ones are deleted', async () => {
  audit.record([entry({ target: 'earlier' })]);
  await audit.stop();
  audit = open({ keepMs: 0 });
  lines = [];
  audit.record([entry()]);
  await inTransaction(database.db, (transaction) => audit.write(transaction, entry()));
  expect(await targets()).toEqual(['earlier']);
  await audit.sweep();
  expect(await targets()).toEqual([]);
  expect(lines).toHaveLength(1);
});

test('an entry that waits is stored when the service stops', async () => {
  audit.record([entry()]);
  await audit.stop();
  expect(await database.db.selectFrom('audit').select('target').execute()).toEqual([{ target: 'a.jpg' }]);
});
