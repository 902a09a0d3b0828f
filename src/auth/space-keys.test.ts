import { afterEach, beforeEach, expect, test } from 'vitest';
import { openKeys, type TestKeys } from '../../test/keys.ts';
import { addSpace } from '../../test/space-rows.ts';
import type { Keyring, SpaceKeyring } from './keyring.ts';

let keys: TestKeys;
let keyring: Keyring;
let acme: SpaceKeyring;
beforeEach(async () => {
  keys = await openKeys();
  keyring = keys.keyring;
  for (const id of ['acme', 'beta']) await addSpace(keys.database, id);
  acme = keyring.inSpace('acme');
});
afterEach(() => keys.close());

const names = async (of: SpaceKeyring) => (await of.list()).map(({ name }) => name);

test('a key made in a space belongs to it, and says so when it is verified', async () => {
  const made = await acme.create({ name: 'a' });
  expect(made.space).toBe('acme');
  expect(await keyring.verify(made.key)).toMatchObject({ id: made.id, space: 'acme' });
});

test('a key of the installation belongs to no space', async () => {
  const made = await keyring.create();
  expect(made.space).toBeNull();
  expect(await keyring.verify(made.key)).toMatchObject({ space: '' });
});

test('the library may create a key for a space that exists', async () => {
  expect((await keyring.create({ space: 'beta' })).space).toBe('beta');
  expect((await keyring.create({ space: null })).space).toBeNull();
  for (const space of ['gamma', 'ACME', 'a\0b', 'default']) {
    await expect(keyring.create({ space })).rejects.toMatchObject({ status: 400, code: 'validation_failed' });
  }
  expect(await keyring.list()).toHaveLength(2);
});

test('a space creates keys for itself alone', async () => {
  expect((await acme.create({ space: 'acme' })).space).toBe('acme');
  for (const space of ['beta', null]) {
    await expect(acme.create({ space })).rejects.toMatchObject({ status: 400, code: 'validation_failed' });
  }
});

test('a space lists its own keys, the library those of all', async () => {
  await keyring.create({ name: 'installation' });
  await acme.create({ name: 'a' });
  await keyring.inSpace('beta').create({ name: 'b' });
  keys.clock.now += 1;
  await acme.create({ name: 'a2' });
  expect(await names(acme)).toEqual(['a', 'a2']);
  expect((await names(keyring)).toSorted()).toEqual(['a', 'a2', 'b', 'installation']);
  expect((await acme.list({ limit: 1, offset: 1 })).map(({ name }) => name)).toEqual(['a2']);
});

test('in a space, the keys of others do not exist', async () => {
  const others = [await keyring.create(), await keyring.inSpace('beta').create()];
  for (const { id, key, name } of others) {
    expect(await acme.update(id, { name: 'taken', enabled: false, remaining: 1 })).toBeUndefined();
    expect(await acme.remove(id)).toBe(false);
    expect(await keyring.verify(key)).toMatchObject({ id, name });
  }
});

test('a space changes and revokes its own keys, and so does the library', async () => {
  const [one, two] = [await acme.create(), await acme.create()];
  expect(await acme.update(one.id, { name: 'renamed' })).toMatchObject({ name: 'renamed', space: 'acme' });
  expect(await acme.remove(one.id)).toBe(true);
  expect(await keyring.update(two.id, { enabled: false })).toMatchObject({ enabled: false });
  expect(await keyring.remove(two.id)).toBe(true);
  expect(await names(keyring)).toEqual([]);
});

test('a key of a space has a quota and a rate limit as others have', async () => {
  const { key } = await acme.create({ remaining: 2, rateLimit: { max: 1, window: 60 } });
  expect(await keyring.verify(key)).toMatchObject({ space: 'acme' });
  keys.clock.now += 20_500;
  expect(await keyring.verify(key)).toEqual({ refused: 'rate limited', retryAfterSeconds: 40 });
  keys.clock.now += 40_000;
  expect(await keyring.verify(key)).toMatchObject({ space: 'acme' });
  keys.clock.now += 60_000;
  expect(await keyring.verify(key)).toEqual({ refused: 'exhausted' });
});
