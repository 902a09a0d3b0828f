import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../db/open.ts';
import type { OpenDatabase } from '../../db/schema.ts';
import { parsePath } from '../../path.ts';
import { createSqlCatalog } from './catalog.ts';
import { searchPaths } from './path-search.ts';

let folder: string;
let database: OpenDatabase;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-path-search-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  const paths = ['a/IMG_0012.jpg', 'a/img 12/b.png', 'c/Kyōto/d_1.jpg', 'kyo/e.jpg', 'Kyōto.png', 'x"y%z.png'];
  const entry = (path: string) => ({
    path: parsePath(path),
    size: 1,
    etag: path,
    createdAt: new Date(),
    modifiedAt: new Date(),
  });
  await createSqlCatalog(database).files.put(paths.map(entry));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Names of found files, when at most `few` files with a word are found by it. */
async function found(search: string, recursive: boolean, few: number): Promise<string[]> {
  const scope = { folder: parsePath(''), search, recursive };
  const { conditions } = await searchPaths(database.db, scope, few);
  const { rows } = await sql<{ name: string }>`
    select name from asset where ${sql.join(conditions, sql` and `)} order by name
  `.execute(database.db);
  return rows.map(({ name }) => name);
}

test.each([
  ['img 12', true, ['IMG_0012.jpg', 'b.png']],
  ['kyo', true, ['Kyōto.png', 'd_1.jpg', 'e.jpg']],
  ['kyo', false, ['Kyōto.png']],
  ['KYŌTO 1', true, ['d_1.jpg']],
  ['x"y', true, ['x"y%z.png']],
  ['%z. y', false, ['x"y%z.png']],
  ['_', true, ['IMG_0012.jpg', 'd_1.jpg']],
  ['none', true, []],
])('%s is found (below: %s) by the index of words, and without it where a word is frequent', async (...given) => {
  const [search, recursive, names] = given;
  for (const few of [100, 1, 0]) expect([few, await found(search, recursive, few)]).toEqual([few, names]);
});

test('the longest word is looked up first, and no other one once there are few files', async () => {
  const texts: string[] = [];
  const watched = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      texts.push(JSON.stringify(result.rows));
      return result;
    },
  });
  const scope = { folder: parsePath(''), search: '12 b.png', recursive: true };
  const { conditions, isFew } = await searchPaths(watched, scope, 1);
  expect([conditions.length, isFew]).toEqual([2, true]);
  // Folders with "b.png", files with it, and folders with "12".
  expect(texts).toEqual(['[]', '[{"ids":"[2]"}]', expect.stringMatching(/^\[\{"id":\d+\}\]$/)]);
});

test('a rare word is looked up, a frequent one is not', async () => {
  const search = { folder: parsePath(''), search: 'jpg', recursive: true };
  expect((await searchPaths(database.db, search, 3)).isFew).toBe(true);
  expect((await searchPaths(database.db, search, 2)).isFew).toBe(false);
});

test('the files of the first rare word are looked up before the query, which compares the others', async () => {
  const search = { folder: parsePath(''), search: '12 jpg d_1', recursive: true };
  const conditionsFor = async (few: number) => {
    const { conditions } = await searchPaths(database.db, search, few);
    return conditions.map((condition) => condition.compile(database.db).sql.match(/json_each|instr/)?.[0]);
  };
  expect(await conditionsFor(100)).toEqual(['json_each', 'instr', 'instr']);
  // More than two names have jpg.
  expect(await conditionsFor(2)).toEqual(['instr', 'json_each', 'instr']);
});
