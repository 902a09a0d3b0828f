import { afterEach, beforeEach, expect, test } from 'vitest';
import { openKeys, type TestKeys } from '../../test/keys.ts';
import { createKey, revokeKey } from './keys.ts';

let keys: TestKeys;
beforeEach(async () => {
  keys = await openKeys();
});
afterEach(() => keys.close());

test('keys that the operator creates and revokes are in the audit log, without their values', async () => {
  const printed = await createKey(keys.keyring, { name: 'CI', permissions: 'read' });
  const [row] = await keys.rows();
  await revokeKey(keys.keyring, row?.id ?? '');
  await expect(revokeKey(keys.keyring, 'unknown')).rejects.toThrow('No key has the id "unknown".');
  const entries = await keys.database.db.selectFrom('audit').selectAll().orderBy('id').execute();
  expect(entries.map(({ action, target, actorType, actorId }) => [action, target, actorType, actorId])).toEqual([
    ['key.created', row?.id, 'system', null],
    ['key.deleted', row?.id, 'system', null],
  ]);
  const value = /^API Key: (\w+)$/m.exec(printed)?.[1] ?? '';
  expect(value).toHaveLength(64);
  expect(JSON.stringify(entries)).not.toContain(value);
});
