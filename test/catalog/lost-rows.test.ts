import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase, Schema } from '../../src/db/schema.ts';
import { ROOT, type StoragePath } from '../../src/path.ts';

let folder: string;
let database: OpenDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-lost-rows-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  const time = new Date(0);
  const paths = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}.jpg` as StoragePath);
  const entries = paths.map((path) => ({ path, size: 1, etag: path, createdAt: time, modifiedAt: time }));
  await createSqlCatalog(database).files.put(entries);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Returns the same database, in which a file disappears just after a query has found it. */
function losing(db: Kysely<Schema>, name: string): Kysely<Schema> {
  let isLost = false;
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const ids = result.rows.map((row) => row.id);
      const lost = await database.db.selectFrom('asset').select('id').where('name', '=', name).executeTakeFirst();
      if (!isLost && lost && ids.includes(lost.id)) {
        isLost = true;
        await database.db.deleteFrom('asset').where('id', '=', lost.id).execute();
      }
      return result;
    },
  });
}

test('a page of a folder that loses a file meanwhile is as long as any', async () => {
  const { listing } = createSqlCatalog({ ...database, db: losing(database.db, 'b.jpg') });
  const { files } = await listing.page({ folder: ROOT, sort: 'name', order: 'asc', limit: 3 });
  expect(files).toHaveLength(3);
});

test('a page of a search that loses a file meanwhile is as long as any, and says that there are more', async () => {
  const { search } = createSqlCatalog({ ...database, reader: losing(database.reader, 'b.jpg') });
  const page = await search.page({ sort: 'name', order: 'asc', limit: 3 });
  expect(page.assets).toHaveLength(3);
  const rest = await search.page({ sort: 'name', order: 'asc', limit: 3, after: page.next });
  expect(rest.assets.at(-1)?.path).toBe('e.jpg');
});
