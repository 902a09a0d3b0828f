import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPreviousDatabase } from '../../test/previous-database.ts';
import { openDatabase } from '../db/open.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { hashKey } from './api-key.ts';
import { createKeyring, type Keyring } from './keyring.ts';

const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const DAY_MS = 86_400_000;
const CREATED_AT = '2026-05-01T00:00:00.000Z';

/** Keys as the previous version stored them; omitted columns have its values for a key without limits. */
const STORED: Record<string, Record<string, string | number | null>> = {
  plain: { lastRequest: '2026-05-31T12:00:00.000Z' },
  nameless: { name: null, start: null, prefix: 'oy_', enabled: null },
  reading: { permissions: '{"darkroom":["read"]}' },
  unreadable: { permissions: 'not json' },
  eternal: { expiresAt: null },
  ended: { expiresAt: '2026-05-31T23:59:59.999Z' },
  off: { enabled: 0 },
  quota: { remaining: 1 },
  exhausted: { remaining: 0 },
  refilled: { remaining: 0, refillAmount: 2, refillInterval: DAY_MS, lastRefillAt: '2026-05-30T00:00:00.000Z' },
  limited: {
    rateLimitEnabled: 1,
    rateLimitMax: 3,
    rateLimitTimeWindow: DAY_MS,
    requestCount: 2,
    lastRequest: '2026-05-31T12:00:00.000Z',
  },
  unlimited: { rateLimitEnabled: 0, rateLimitMax: 1, rateLimitTimeWindow: DAY_MS, requestCount: 1 },
};

function previousRow([name, columns]: [string, (typeof STORED)[string]]) {
  return {
    id: `id-${name}`,
    configId: 'default',
    name,
    start: name.slice(0, 6),
    referenceId: 'darkroom',
    prefix: null,
    key: hashKey(name),
    refillInterval: null,
    refillAmount: 0,
    lastRefillAt: null,
    enabled: 1,
    rateLimitEnabled: 0,
    rateLimitTimeWindow: null,
    rateLimitMax: null,
    requestCount: 0,
    remaining: null,
    lastRequest: null,
    expiresAt: '2027-05-01T00:00:00.000Z',
    createdAt: CREATED_AT,
    updatedAt: CREATED_AT,
    permissions: '{"darkroom":["read","upload","manage","admin"]}',
    metadata: null,
    ...columns,
  };
}

async function storePrevious(db: Kysely<unknown>): Promise<void> {
  for (const entry of Object.entries(STORED)) {
    const row = previousRow(entry);
    const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)));
    await sql`insert into apikey (${columns}) values (${sql.join(Object.values(row))})`.execute(db);
  }
}

describe('after an upgrade from the previous version, a key', () => {
  let folder: string;
  let database: OpenDatabase;
  let keyring: Keyring;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'darkroom-upgrade-'));
    database = await openDatabase(await createPreviousDatabase(join(folder, 'darkroom.db'), undefined, storePrevious));
    keyring = createKeyring({ database, now: () => NOW });
  });
  afterEach(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });

  const find = async (name: string) => (await keyring.list()).find(({ id }) => id === `id-${name}`);

  test('still works, with its permissions', async () => {
    expect(await keyring.verify('plain')).toEqual({
      id: 'id-plain',
      name: 'plain',
      permissions: ['read', 'upload', 'manage', 'admin'],
      space: '',
    });
    expect(await keyring.verify('reading')).toMatchObject({ permissions: ['read'] });
    expect(await keyring.verify('unreadable')).toMatchObject({ permissions: [] });
    expect(await keyring.list()).toHaveLength(Object.keys(STORED).length);
  });

  test('shows what it showed before', async () => {
    expect(await find('plain')).toEqual({
      id: 'id-plain',
      name: 'plain',
      start: 'plain',
      prefix: null,
      enabled: true,
      permissions: ['read', 'upload', 'manage', 'admin'],
      expiresAt: '2027-05-01T00:00:00.000Z',
      createdAt: CREATED_AT,
      updatedAt: CREATED_AT,
      lastUsedAt: '2026-05-31T12:00:00.000Z',
      remaining: null,
      rateLimitEnabled: false,
      rateLimit: null,
      space: null,
    });
    expect(await find('nameless')).toMatchObject({ name: '', start: '', prefix: 'oy_', enabled: true });
    expect(await find('limited')).toMatchObject({ rateLimitEnabled: true, rateLimit: { max: 3, window: 86_400 } });
  });

  test('has the state and the term that it had', async () => {
    expect(await keyring.verify('eternal')).toMatchObject({ id: 'id-eternal' });
    expect(await keyring.verify('ended')).toEqual({ refused: 'expired' });
    expect(await keyring.verify('off')).toEqual({ refused: 'disabled' });
  });

  test('has the quota and the rate limit that it had, as far as they were used', async () => {
    const twice = async (name: string) => [await keyring.verify(name), await keyring.verify(name)];
    expect(await twice('quota')).toMatchObject([{ id: 'id-quota' }, { refused: 'exhausted' }]);
    expect(await twice('exhausted')).toEqual([{ refused: 'exhausted' }, { refused: 'exhausted' }]);
    expect(await twice('refilled')).toMatchObject([{ id: 'id-refilled' }, { id: 'id-refilled' }]);
    expect(await keyring.verify('refilled')).toEqual({ refused: 'exhausted' });
    expect(await twice('limited')).toMatchObject([{ id: 'id-limited' }, { refused: 'rate limited' }]);
    expect(await twice('unlimited')).toMatchObject([{ id: 'id-unlimited' }, { id: 'id-unlimited' }]);
  });

  test('is no reason for a first key', async () => {
    expect(await keyring.ensureFirstKey()).toBeUndefined();
  });
});
