import { join } from 'node:path';
import { createSqlCatalog } from '../../../src/catalog/sql/catalog.ts';
import { openDatabase } from '../../../src/db/open.ts';
import type { OpenDatabase } from '../../../src/db/schema.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import type { CatalogBench } from './bench.ts';

/** Opens a catalog over two connections to one database. */
export function openCatalogs(one: OpenDatabase, two: OpenDatabase, close: CatalogBench['close']): CatalogBench {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const now = () => clock.now;
  return { catalog: createSqlCatalog(one, now), other: createSqlCatalog(two, now), db: one.db, clock, close };
}

export async function openSqliteCatalogs(): Promise<CatalogBench> {
  const { folder, close } = await temporaryFolder();
  const file = join(folder, 'darkroom.db');
  const one = await openDatabase({ file });
  const two = await openDatabase({ file });
  return openCatalogs(one, two, async () => {
    await one.close();
    await two.close();
    await close();
  });
}
