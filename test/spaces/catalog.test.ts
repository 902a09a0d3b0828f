import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { openDatabase } from '../../src/db/open.ts';
import { spaceCatalogContract } from './catalog-contract.ts';

spaceCatalogContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'space-catalog-'));
  const file = join(folder, 'darkroom.db');
  const one = await openDatabase({ file });
  const two = await openDatabase({ file });
  const clock = { now: Date.UTC(2026, 0, 1) };
  const now = () => clock.now;
  return {
    catalog: createSqlCatalog(one, now),
    other: createSqlCatalog(two, now),
    db: one.db,
    clock,
    async close() {
      await one.close();
      await two.close();
      await rm(folder, { recursive: true });
    },
  };
});
