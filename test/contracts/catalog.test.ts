import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { openDatabase } from '../../src/db/open.ts';
import { catalogContract } from './catalog.ts';

catalogContract('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const file = join(folder, 'darkroom.db');
  const [one, two] = [await openDatabase({ file }), await openDatabase({ file })];
  return {
    catalog: createSqlCatalog(one),
    other: createSqlCatalog(two),
    db: one.db,
    async close() {
      await one.close();
      await two.close();
      await rm(folder, { recursive: true });
    },
  };
});
