import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../db/open.ts';
import type { OpenDatabase, Schema } from '../../db/schema.ts';
import type { StoragePath } from '../../path.ts';
import { createSqlCatalog } from './catalog.ts';
import { findSimilar } from './similar.ts';

let folder: string;
let database: OpenDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-similar-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Wraps a database to count its queries. */
function counted(db: Kysely<Schema>) {
  const counts = { queries: 0 };
  const counting = db.withPlugin({
    transformQuery({ node }) {
      counts.queries++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: counting, counts };
}

/** Inserts images that differ from each other by 28 bits or more; every tenth resembles the previous one. */
async function putPictures(count: number): Promise<void> {
  const time = new Date(0);
  const entry = (n: number) => ({
    path: `${n}.jpg` as StoragePath,
    size: n,
    etag: 'e',
    createdAt: time,
    modifiedAt: time,
  });
  await createSqlCatalog(database).files.put(Array.from({ length: count }, (_, n) => entry(n)));
  const { rows } = await sql<{ id: number; size: number }>`select id, size from asset`.execute(database.db);
  for (const { id, size } of rows) {
    const like = size % 10 === 9 ? size - 1 : size;
    const perceptualHash = (BigInt(like + 1) * 0x9e3779b97f4a7c15n).toString(16).slice(-16).padStart(16, '0');
    await database.db.updateTable('asset').set({ perceptualHash }).where('id', '=', id).execute();
  }
}

test('a page of many pictures takes few questions', async () => {
  await putPictures(1000);
  const { db, counts } = counted(database.reader);
  const { groups, next } = await findSimilar(db, 200);
  const names = groups.map(({ assets }) => assets.map(({ name }) => name));
  expect(names).toEqual(Array.from({ length: 100 }, (_, n) => [`${n * 10 + 8}.jpg`, `${n * 10 + 9}.jpg`]));
  expect(groups[0]?.wastedBytes).toBe(8);
  expect(next).toBeUndefined();
  expect(counts.queries).toBeLessThanOrEqual(40);
});

test('pages end anywhere and show each group once', async () => {
  await putPictures(500);
  const found: (string | undefined)[] = [];
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const page = await findSimilar(database.reader, 7, after);
    found.push(...page.groups.map(({ assets }) => assets[0]?.name));
    after = page.next;
  }
  expect(found).toEqual(Array.from({ length: 50 }, (_, n) => `${n * 10 + 8}.jpg`));
});
