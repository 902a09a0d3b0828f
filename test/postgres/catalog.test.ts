import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { at, file } from '../contracts/catalog/bench.ts';
import { openCatalogs } from '../contracts/catalog/open.ts';
import { catalogContract } from '../contracts/catalog.ts';
import { spaceCatalogContract } from '../spaces/catalog-contract.ts';
import { describeOnPostgres, openTwice } from './database.ts';

describeOnPostgres('the catalog on PostgreSQL', () => {
  const nodes = openTwice({ poolMax: 10 });

  const emptied = async () => {
    await sql`truncate asset, asset_tag, folder_usage, asset_change, asset_version, trash, redirect, asset_words, word_trigram cascade`.execute(
      nodes.one.db,
    );
    await nodes.one.db.deleteFrom('folder').where('path', '<>', '').execute();
    return openCatalogs(nodes.one, nodes.two, async () => undefined);
  };
  catalogContract('PostgreSQL', emptied);
  spaceCatalogContract('PostgreSQL', emptied);

  afterEach(() => vi.useRealTimers());
  test('nodes whose clocks differ do not describe a file twice', async () => {
    const slow = createSqlCatalog(nodes.one);
    await slow.files.put([file('clocks/one.jpg')]);
    expect((await slow.descriptions.claim(1000, 60_000)).map(({ path }) => path)).toContain('clocks/one.jpg');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    const fast = createSqlCatalog(nodes.two);
    expect(await fast.descriptions.claim(9, 60_000)).toEqual([]);
    const [{ id = 0 } = {}] = await fast.files.named(at('clocks'), ['one.jpg']);
    await fast.descriptions.fail(id, 'one', 0);
    vi.useRealTimers();
    expect(await slow.descriptions.claim(9, 60_000)).toMatchObject([{ id, failures: 1 }]);
  });
});
