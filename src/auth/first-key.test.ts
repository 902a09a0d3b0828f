import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { openKeys, type TestKeys } from '../../test/keys.ts';
import { hashKey, PERMISSIONS } from './api-key.ts';
import { createKeyring, type Keyring } from './keyring.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FROM_ENVIRONMENT = 'a-key-from-the-environment-of-at-least-32-characters';

let keys: TestKeys;
let keyring: Keyring;
beforeEach(async () => {
  keys = await openKeys();
  keyring = keys.keyring;
});
afterEach(() => keys.close());

describe('the first key', () => {
  test('is made when there is none, once', async () => {
    const first = await keyring.ensureFirstKey();
    expect(first?.key).toHaveLength(64);
    expect(await keyring.verify(first?.key ?? '')).toMatchObject({ permissions: PERMISSIONS });
    expect(await keyring.ensureFirstKey()).toBeUndefined();
    expect(await keyring.list()).toHaveLength(1);
  });

  test('is made by one of two processes that start at once', async () => {
    const other = await openTestDatabase(join(keys.folder, 'darkroom.db'));
    const second = createKeyring({ database: other });
    const made = await Promise.all([keyring.ensureFirstKey(), second.ensureFirstKey()]);
    other.close();
    expect(made.filter((key) => key !== undefined)).toHaveLength(1);
    expect(await keyring.list()).toHaveLength(1);
  });

  test('is made again when all have expired, but not when all are disabled', async () => {
    const { id } = await keyring.create({ expiresInSeconds: 86_400 });
    await keyring.update(id, { enabled: false });
    expect(await keyring.ensureFirstKey()).toBeUndefined();
    keys.clock.now += DAY_MS;
    expect(await keyring.ensureFirstKey()).toBeDefined();
  });
});

describe('the key of the environment', () => {
  /** Stores keys as a start does. */
  const start = async (fromEnvironment = FROM_ENVIRONMENT) => {
    await keyring.storeEnvironmentKey(fromEnvironment);
    return keyring.ensureFirstKey();
  };

  test('works, is never given back and is stored hashed', async () => {
    expect(await start()).toBeUndefined();
    expect(await keyring.verify(FROM_ENVIRONMENT)).toMatchObject({ permissions: PERMISSIONS });
    expect(JSON.stringify(await keys.rows())).not.toContain(FROM_ENVIRONMENT);
    expect(await keys.rows()).toMatchObject([{ start: 'a-key-', hash: hashKey(FROM_ENVIRONMENT) }]);
  });

  test('is added once beside keys that exist, and keeps its name', async () => {
    await keyring.create();
    keys.clock.now += 1000;
    await start();
    await keyring.update('environment', { name: 'Deployment' });
    await start();
    expect((await keyring.list()).map((key) => key.name)).toEqual(['API key', 'Deployment']);
  });

  test('works again after a restart, were it disabled, expired or removed', async () => {
    await start();
    await keyring.update('environment', { enabled: false });
    await start();
    expect(await keyring.verify(FROM_ENVIRONMENT)).not.toHaveProperty('refused');
    keys.clock.now += 3650 * DAY_MS;
    expect(await keyring.verify(FROM_ENVIRONMENT)).toEqual({ refused: 'expired' });
    await start();
    expect(await keyring.verify(FROM_ENVIRONMENT)).not.toHaveProperty('refused');
    await keyring.remove('environment');
    await start();
    expect(await keyring.verify(FROM_ENVIRONMENT)).not.toHaveProperty('refused');
  });

  test('keeps its limits at a restart, also those of a key that was created here before', async () => {
    const rateLimit = { max: 60, window: 60 };
    const limits = async () => {
      const [{ remaining, rateLimit } = {}] = await keyring.list();
      return { remaining, rateLimit };
    };
    await start();
    await keyring.update('environment', { remaining: 10, rateLimit });
    await keyring.verify(FROM_ENVIRONMENT);
    await start();
    expect(await limits()).toEqual({ remaining: 9, rateLimit });
    expect(await keys.rows()).toMatchObject([{ rateLimitCount: 1 }]);
    await start('another-key-from-the-environment-of-32-characters');
    expect(await limits()).toEqual({ remaining: null, rateLimit: null });
    await keyring.remove('environment');
    const { key } = await keyring.create({ remaining: 5 });
    await start(key);
    expect(await limits()).toEqual({ remaining: 5, rateLimit: null });
  });

  test('replaces the one that the environment held before', async () => {
    await start();
    await start('another-key-from-the-environment-of-32-characters');
    expect(await keyring.verify(FROM_ENVIRONMENT)).toEqual({ refused: 'unknown' });
    expect(await keyring.list()).toHaveLength(1);
  });

  test('that was created here before is one key, not two', async () => {
    const { key } = await keyring.create();
    await start(key);
    expect(await keyring.verify(key)).toMatchObject({ id: 'environment' });
    expect(await keyring.list()).toHaveLength(1);
  });

  test('stays when the variable goes, so that no other first key is made', async () => {
    await start();
    expect(await keyring.ensureFirstKey()).toBeUndefined();
    expect(await keyring.verify(FROM_ENVIRONMENT)).not.toHaveProperty('refused');
  });
});
