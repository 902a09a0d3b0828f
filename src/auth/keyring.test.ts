import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openKeys, type TestKeys } from '../../test/keys.ts';
import { hashKey } from './api-key.ts';
import type { Keyring } from './keyring.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let keys: TestKeys;
let keyring: Keyring;
beforeEach(async () => {
  keys = await openKeys();
  keyring = keys.keyring;
});
afterEach(() => keys.close());

describe('a new key', () => {
  test('has 64 letters and digits, shows its first 6, no prefix, and runs for 365 days with all permissions', async () => {
    const made = await keyring.create();
    expect(made.key).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(made).toMatchObject({
      start: made.key.slice(0, 6),
      prefix: null,
      enabled: true,
      permissions: ['read', 'upload', 'manage', 'admin'],
      createdAt: new Date(keys.clock.now).toISOString(),
      expiresAt: new Date(keys.clock.now + 365 * DAY_MS).toISOString(),
      remaining: null,
      rateLimitEnabled: false,
      rateLimit: null,
      lastUsedAt: null,
    });
  });

  test('takes a name, a term and permissions', async () => {
    const made = await keyring.create({ name: 'Blog', expiresInSeconds: 86_400, permissions: ['read', 'upload'] });
    expect(made).toMatchObject({ name: 'Blog', expiresAt: new Date(keys.clock.now + DAY_MS).toISOString() });
    expect(await keyring.verify(made.key)).toEqual({
      id: made.id,
      name: 'Blog',
      permissions: ['read', 'upload'],
      space: '',
    });
  });

  test('is stored hashed, and nowhere in the database files', async () => {
    const { key } = await keyring.create();
    expect((await keys.rows()).map(({ hash }) => hash)).toEqual([hashKey(key)]);
    // SHA-256, base64url without padding: keys of earlier versions, and of better-auth elsewhere, are stored in this
    // format.
    expect(hashKey('a'.repeat(64))).toBe('_-BU_nrgy23GXDr5th1SCfQ5hR20PQulmXM33xVGaOs');
    await sql`pragma wal_checkpoint(truncate)`.execute(keys.database.db);
    expect((await readFile(join(keys.folder, 'darkroom.db'))).includes(key)).toBe(false);
  });

  test('takes a quota and a rate limit', async () => {
    const limits = { remaining: 5, rateLimit: { max: 2, window: 60 } };
    const made = await keyring.create(limits);
    expect(made).toMatchObject({ ...limits, rateLimitEnabled: true });
    expect(await keyring.list()).toMatchObject([limits]);
  });
});

describe('the list', () => {
  test('has every field but the key, and never the hash', async () => {
    const { key, ...shown } = await keyring.create({ name: 'Blog' });
    const list = await keyring.list();
    expect(list).toEqual([shown]);
    expect(JSON.stringify(list)).not.toContain(key);
    expect(JSON.stringify(list)).not.toContain(hashKey(key));
  });

  test('is oldest first and can be read in pages', async () => {
    for (const name of ['a', 'b', 'c']) {
      keys.clock.now += 1000;
      await keyring.create({ name });
    }
    const names = async (page?: { limit?: number; offset?: number }) =>
      (await keyring.list(page)).map((key) => key.name).join('');
    expect(await names()).toBe('abc');
    expect(await names({ limit: 2 })).toBe('ab');
    expect(await names({ offset: 1 })).toBe('bc');
    expect(await names({ limit: 1, offset: 2 })).toBe('c');
  });
});

describe('a key is refused', () => {
  test('when it is unknown', async () => {
    const { key } = await keyring.create();
    for (const presented of ['', 'x', key.slice(1), `${key}x`, key.toLowerCase(), hashKey(key)]) {
      expect(await keyring.verify(presented)).toEqual({ refused: 'unknown' });
    }
  });

  test('while it is disabled', async () => {
    const { key, id } = await keyring.create();
    await keyring.update(id, { enabled: false });
    expect(await keyring.verify(key)).toEqual({ refused: 'disabled' });
    await keyring.update(id, { enabled: true });
    expect(await keyring.verify(key)).toMatchObject({ id });
  });

  test('from the instant it expires, and stays in the list', async () => {
    const { key } = await keyring.create({ expiresInSeconds: 86_400 });
    keys.clock.now += DAY_MS - 1;
    expect(await keyring.verify(key)).not.toHaveProperty('refused');
    keys.clock.now += 1;
    expect(await keyring.verify(key)).toEqual({ refused: 'expired' });
    expect(await keyring.list()).toHaveLength(1);
  });

  test('when it is removed', async () => {
    const { key, id } = await keyring.create();
    expect(await keyring.remove(id)).toBe(true);
    expect(await keyring.verify(key)).toEqual({ refused: 'unknown' });
  });

  test('when its quota is used up, which is counted also for uses at the same time', async () => {
    const { key } = await keyring.create({ remaining: 3 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => keyring.verify(key)));
    expect(answers.filter((answer) => 'refused' in answer)).toEqual([
      { refused: 'exhausted' },
      { refused: 'exhausted' },
    ]);
    expect(await keyring.verify(key)).toEqual({ refused: 'exhausted' });
    expect(await keyring.list()).toMatchObject([{ remaining: 0 }]);
  });

  test('when its own rate limit is reached', async () => {
    const { key, id } = await keyring.create({ rateLimit: { max: 2, window: 86_400 } });
    expect(await keyring.verify(key)).toMatchObject({ id });
    expect(await keyring.verify(key)).toMatchObject({ id });
    expect(await keyring.verify(key)).toEqual({ refused: 'rate limited', retryAfterSeconds: 86_400 });
  });
});

describe('a rate limit', () => {
  const minute = { max: 2, window: 60 };

  test('begins anew with the first use after its window', async () => {
    const { key, id } = await keyring.create({ rateLimit: minute });
    await keyring.verify(key);
    keys.clock.now += 59_999;
    expect(await keyring.verify(key)).toMatchObject({ id });
    expect(await keyring.verify(key)).toEqual({ refused: 'rate limited', retryAfterSeconds: 1 });
    keys.clock.now += 1;
    expect(await keyring.verify(key)).toMatchObject({ id });
  });

  test('locks nobody out after the clock was set back', async () => {
    const { key, id } = await keyring.create({ rateLimit: { max: 1, window: 60 } });
    await keyring.verify(key);
    keys.clock.now -= DAY_MS;
    expect(await keyring.verify(key)).toMatchObject({ id });
  });

  test('counts requests of a node whose clock is behind in the same window', async () => {
    const { key } = await keyring.create({ rateLimit: minute });
    await keyring.verify(key);
    keys.clock.now -= 5;
    await keyring.verify(key);
    expect(await keyring.verify(key)).toEqual({ refused: 'rate limited', retryAfterSeconds: 60 });
  });

  test('takes nothing from the quota when it refuses', async () => {
    const { key } = await keyring.create({ remaining: 5, rateLimit: minute });
    for (let use = 0; use < 4; use++) await keyring.verify(key);
    expect(await keyring.list()).toMatchObject([{ remaining: 3 }]);
  });
});

test('a quota that is refilled is full again after each interval', async () => {
  const { key, id } = await keyring.create({ remaining: 1 });
  const refill = { refillAmount: 2, refillIntervalMs: DAY_MS, refilledAt: keys.clock.now };
  await keys.database.db.updateTable('api_key').set(refill).where('id', '=', id).execute();
  const uses = async () => [await keyring.verify(key), await keyring.verify(key), await keyring.verify(key)];
  expect(await uses()).toMatchObject([{ id }, { refused: 'exhausted' }, { refused: 'exhausted' }]);
  keys.clock.now += DAY_MS;
  expect(await uses()).toMatchObject([{ id }, { id }, { refused: 'exhausted' }]);
  await keyring.update(id, { remaining: 1 });
  keys.clock.now += DAY_MS;
  expect(await uses()).toMatchObject([{ id }, { id }, { refused: 'exhausted' }]);
});

test('a quota that is set replaces one whose refill is overdue', async () => {
  const { key, id } = await keyring.create({ remaining: 1 });
  const refill = { refillAmount: 2, refillIntervalMs: DAY_MS, refilledAt: keys.clock.now };
  await keys.database.db.updateTable('api_key').set(refill).where('id', '=', id).execute();
  keys.clock.now += 3 * DAY_MS;
  await keyring.update(id, { remaining: 500 });
  await keyring.verify(key);
  expect(await keyring.list()).toMatchObject([{ remaining: 499 }]);
});

test('a key whose row names no permission, or none that is readable, may do nothing', async () => {
  const { key, id } = await keyring.create();
  for (const permissions of ['', 'not json', '[]', 'null', '"read"', '{"darkroom":["read"]}', '["everything"]']) {
    await keys.database.db.updateTable('api_key').set({ permissions }).where('id', '=', id).execute();
    expect(await keyring.verify(key)).toMatchObject({ id, permissions: [] });
  }
});

describe('changing a key', () => {
  test('renames it and says when', async () => {
    const { key: _key, ...made } = await keyring.create({ name: 'old' });
    keys.clock.now += 5000;
    const changed = { ...made, name: 'new', updatedAt: new Date(keys.clock.now).toISOString() };
    expect(await keyring.update(made.id, { name: 'new' })).toEqual(changed);
    expect(await keyring.list()).toEqual([changed]);
  });

  test('sets its quota and its rate limit, and takes them away', async () => {
    const { key, id } = await keyring.create();
    expect(await keyring.update(id, { remaining: 1 })).toMatchObject({ remaining: 1, rateLimit: null });
    await keyring.verify(key);
    expect(await keyring.verify(key)).toEqual({ refused: 'exhausted' });
    const rateLimit = { max: 1, window: 60 };
    expect(await keyring.update(id, { remaining: null, rateLimit })).toMatchObject({ remaining: null, rateLimit });
    await keyring.verify(key);
    expect(await keyring.verify(key)).toEqual({ refused: 'rate limited', retryAfterSeconds: 60 });
    await keyring.update(id, { rateLimit: null });
    for (let use = 0; use < 3; use++) expect(await keyring.verify(key)).toMatchObject({ id });
  });

  test('that does not exist changes nothing', async () => {
    await keyring.create();
    expect(await keyring.update('nobody', { name: 'x' })).toBeUndefined();
    expect(await keyring.remove('nobody')).toBe(false);
    expect(await keyring.list()).toHaveLength(1);
  });
});

describe('the last use', () => {
  test('is written at most once a minute, and is no change of the key', async () => {
    const { key, updatedAt } = await keyring.create();
    const lastUse = async () => (await keyring.list())[0]?.lastUsedAt;
    const first = new Date(keys.clock.now).toISOString();
    await keyring.verify(key);
    await expect.poll(lastUse).toBe(first);
    keys.clock.now += 59_999;
    await keyring.verify(key);
    expect(await lastUse()).toBe(first);
    keys.clock.now += 1;
    await keyring.verify(key);
    await expect.poll(lastUse).toBe(new Date(keys.clock.now).toISOString());
    expect((await keyring.list())[0]?.updatedAt).toBe(updatedAt);
  });

  test('is written also after the clock was set back', async () => {
    const { key } = await keyring.create();
    await keyring.verify(key);
    const lastUse = async () => (await keyring.list())[0]?.lastUsedAt;
    await expect.poll(lastUse).toBe(new Date(keys.clock.now).toISOString());
    keys.clock.now -= 2 * DAY_MS;
    await keyring.verify(key);
    await expect.poll(lastUse).toBe(new Date(keys.clock.now).toISOString());
  });

  test('that cannot be written refuses nobody', async () => {
    const { key, id } = await keyring.create();
    await sql`pragma query_only = on`.execute(keys.database.db);
    expect(await keyring.verify(key)).toMatchObject({ id });
  });

  test('of a key with a limit that cannot be counted is 503', async () => {
    const { key } = await keyring.create({ remaining: 3 });
    await sql`pragma query_only = on`.execute(keys.database.db);
    const unavailable = expect.objectContaining({ status: 503, code: 'database_unavailable' });
    await expect(keyring.verify(key)).rejects.toEqual(unavailable);
  });
});
