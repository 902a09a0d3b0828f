import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { at, file } from '../contracts/catalog/bench.ts';
import { catalogContract } from '../contracts/catalog.ts';
import { spaceCatalogContract } from '../spaces/catalog-contract.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

describeOnPostgres('the catalog on PostgreSQL', () => {
  let one: OpenDatabase;
  let two: OpenDatabase;
  beforeAll(async () => {
    const url = await newDatabase();
    one = await openPostgres({ url, poolMax: 10 });
    two = await openPostgres({ url, poolMax: 10 });
  });
  afterAll(async () => {
    await one.close();
    await two.close();
  });

  const emptied = async () => {
    await sql`truncate asset, asset_tag, folder_usage, asset_change, asset_version, trash, asset_words, word_trigram cascade`.execute(
      one.db,
    );
    await one.db.deleteFrom('folder').where('path', '<>', '').execute();
    const clock = { now: Date.UTC(2026, 0, 1) };
    const now = () => clock.now;
    return {
      catalog: createSqlCatalog(one, now),
      other: createSqlCatalog(two, now),
      db: one.db,
      clock,
      close: async () => undefined,
    };
  };
  catalogContract('PostgreSQL', emptied);
  spaceCatalogContract('PostgreSQL', emptied);

  afterEach(() => vi.useRealTimers());
  test('nodes whose clocks differ do not describe a file twice', async () => {
    const slow = createSqlCatalog(one);
    await slow.files.put([file('clocks/one.jpg')]);
    expect((await slow.descriptions.claim(1000, 60_000)).map(({ path }) => path)).toContain('clocks/one.jpg');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    const fast = createSqlCatalog(two);
    expect(await fast.descriptions.claim(9, 60_000)).toEqual([]);
    const [{ id = 0 } = {}] = await fast.files.named(at('clocks'), ['one.jpg']);
    await fast.descriptions.fail(id, 'one', 0);
    vi.useRealTimers();
    expect(await slow.descriptions.claim(9, 60_000)).toMatchObject([{ id, failures: 1 }]);
  });
});
