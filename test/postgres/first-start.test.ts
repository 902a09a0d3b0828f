import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureAdmin } from '../../src/auth/accounts.ts';
import { ensureFirstKey } from '../../src/auth/first-key.ts';
import { readAuthSecret } from '../../src/auth/secret.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

describeOnPostgres('four nodes that start at the same moment', () => {
  let nodes: OpenDatabase[];
  beforeAll(async () => {
    const url = await newDatabase();
    nodes = await Promise.all(Array.from({ length: 4 }, () => openPostgres({ url })));
  });
  afterAll(() => Promise.all(nodes.map((node) => node.close())));
  const onAll = <T>(act: (node: OpenDatabase, index: number) => Promise<T>) => Promise.all(nodes.map(act));

  test('make one first key', async () => {
    const made = await onAll(({ db }) => ensureFirstKey(db, Date.now()));
    expect(made.filter((key) => key !== undefined)).toHaveLength(1);
    expect(await nodes[0]?.db.selectFrom('apikey').select('id').execute()).toHaveLength(1);
  });

  test('make one account, though each wants another one', async () => {
    const account = { password: 'a long enough password', name: 'Admin' };
    const made = await onAll(({ db }, n) => ensureAdmin({ db, email: `admin-${n}@example.com`, ...account }));
    expect(made.filter((isMade) => isMade)).toHaveLength(1);
    expect(await nodes[0]?.db.selectFrom('user').select('id').execute()).toHaveLength(1);
    expect(await nodes[0]?.db.selectFrom('account').select('id').execute()).toHaveLength(1);
  });

  test('agree on one secret', async () => {
    expect(new Set(await onAll(({ db }) => readAuthSecret(db))).size).toBe(1);
  });
});
