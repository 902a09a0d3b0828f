import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOwner } from '../../src/auth/accounts.ts';
import { ensureFirstKey } from '../../src/auth/first-key.ts';
import { PLAIN_PASSWORDS } from '../../src/auth/passwords.ts';
import { readAuthSecret } from '../../src/auth/secret.ts';
import { createSetup } from '../../src/auth/setup.ts';
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
    expect(await nodes[0]?.db.selectFrom('api_key').select('id').execute()).toHaveLength(1);
  });

  test('print one setup token, which is good on each until it is used', async () => {
    const living = new Set(nodes.map((_, n) => `node ${n}`));
    const isAlive = async (name: string) => living.has(name);
    const setupOf = (database: OpenDatabase, node: string) => createSetup(database, PLAIN_PASSWORDS, { node, isAlive });
    const setups = nodes.map((database, n) => setupOf(database, `node ${n}`));
    const tokens = await Promise.all(setups.map((setup) => setup.open()));
    const printed = tokens.filter((token) => token !== undefined);
    expect(printed).toHaveLength(1);
    expect(await Promise.all(setups.map((setup) => setup.isOpen()))).toEqual([true, true, true, true]);
    const [token = ''] = printed;
    const rows = await nodes[0]?.db.selectFrom('setting').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);

    // The process that printed it has ended, and its output may be lost.
    living.delete(`node ${tokens.indexOf(token)}`);
    const later = await setupOf(nodes[0] as OpenDatabase, 'node 4').open();
    expect(later).toBeDefined();
    const account = { email: 'admin@example.com', password: 'a long enough password', name: 'Admin' };
    const complete = (n: number, presented: string) => setups[n]?.complete({ token: presented, ...account });
    expect(await complete(1, token)).toBe('wrong token');
    expect(await complete(2, later ?? '')).toMatchObject({ email: account.email });
    expect(await complete(3, later ?? '')).toBe('closed');
    expect(await setups[3]?.isOpen()).toBe(false);
    await nodes[0]?.db.deleteFrom('account').execute();
    await nodes[0]?.db.deleteFrom('user').execute();
  });

  test('make one account, though each wants another one', async () => {
    const account = { password: 'a long enough password', name: 'Admin' };
    const made = await onAll(({ db }, n) => createOwner({ db, email: `admin-${n}@example.com`, ...account }));
    expect(made.filter((isMade) => isMade)).toHaveLength(1);
    expect(await nodes[0]?.db.selectFrom('user').select('id').execute()).toHaveLength(1);
    expect(await nodes[0]?.db.selectFrom('account').select('id').execute()).toHaveLength(1);
  });

  test('agree on one secret', async () => {
    expect(new Set(await onAll(({ db }) => readAuthSecret(db))).size).toBe(1);
  });
});
