import { CompiledQuery, sql } from 'kysely';
import { Client } from 'pg';
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

  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** Returns the plans of the queries of assets that the work runs, as if the table were large. */
  async function plansOf(work: () => Promise<unknown>): Promise<string> {
    const query = vi.spyOn(Client.prototype, 'query');
    await work();
    const calls = query.mock.calls as unknown as [string, unknown[]][];
    query.mockRestore();
    return nodes.one.db.transaction().execute(async (transaction) => {
      await sql`set local enable_seqscan = off`.execute(transaction);
      const plans: string[] = [];
      for (const [text, values] of calls.filter(([text]) => /^select .* from "?asset"?/s.test(text))) {
        const { rows } = await transaction.executeQuery<Record<string, string>>(
          CompiledQuery.raw(`explain ${text}`, values),
        );
        plans.push(...rows.map((row) => String(row['QUERY PLAN'])));
      }
      return plans.join('\n');
    });
  }

  test('listings by kind and by dimensions, and of files that cannot be decoded, have indexes', async () => {
    const { catalog } = await emptied();
    await catalog.files.put([file('a/b.jpg'), file('a/c.pdf')]);
    await sql`update folder_usage set "fileCount" = 1000000`.execute(nodes.one.db);
    const page = { folder: at(''), recursive: true, sort: 'name', order: 'asc', limit: 10 } as const;
    for (const order of ['asc', 'desc'] as const) {
      for (const [sort, name] of [
        ['kind', 'format'],
        ['dimensions', 'pixels'],
      ] as const) {
        const all = await plansOf(() => catalog.listing.page({ ...page, sort, order }));
        expect(all).toContain(`using asset_all_${name}_idx`);
        const direct = { folder: at('a'), recursive: false };
        expect(await plansOf(() => catalog.listing.page({ ...page, ...direct, sort, order }))).toContain(
          `using asset_${name}_idx`,
        );
      }
    }
    // PostgreSQL's statistics tell that few files have a problem.
    await sql`analyze asset`.execute(nodes.one.db);
    const conditions = { isUndecodable: true };
    for (const read of [
      () => catalog.listing.page({ ...page, conditions }),
      () => catalog.listing.total({ ...page, conditions }),
      () => catalog.search.page({ ...page, ...conditions }),
    ])
      expect(await plansOf(read)).toMatch(/asset_problem_idx/);
  });

  test('few files with a word of a path are sorted, not looked for in the order of all files', async () => {
    const { catalog } = await emptied();
    await catalog.files.put([file('a/boat.jpg'), file('a/house.jpg')]);
    const page = { folder: at(''), recursive: true, sort: 'name', order: 'asc', limit: 10 } as const;
    // A part of a name, of which the statistics know nothing.
    const plans = await plansOf(() => catalog.listing.page({ ...page, search: 'jpg boa' }));
    expect(plans).toMatch(/Sort Key: \(?GREATEST\(/);
    expect(plans).not.toContain('asset_all_nameKey_idx');
  });

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
