import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../db/open.ts';
import type { OpenDatabase } from '../../db/schema.ts';
import { placesOf, preparedQuery } from './prepared-query.ts';

let database: OpenDatabase;
beforeEach(async () => {
  database = await openDatabase({ file: ':memory:' });
});
afterEach(() => database.close());

const CHANGE = { id: '1', node: 'here', kind: 'write', from: 'a.jpg', to: null, createdAt: 5 };
const COLUMNS = ['id', 'node', 'kind', 'from', 'to', 'createdAt'] as const;
const insert = preparedQuery<typeof CHANGE>((db, placeholder) =>
  db.insertInto('asset_change').values(placesOf(COLUMNS, placeholder)).compile(),
);
const between = preparedQuery<{ first: number; last: number }, { id: string }>((db, placeholder) =>
  db
    .selectFrom('asset_change')
    .select('id')
    .where('createdAt', '>=', placeholder('first'))
    .where('kind', '=', 'write')
    .where('createdAt', '<=', placeholder('last'))
    .compile(),
);

test('runs with the values of each time, wherever they stand in it', async () => {
  await insert(database.db, CHANGE);
  await insert(database.db, { ...CHANGE, createdAt: 6, id: '2' });
  expect(await database.db.selectFrom('asset_change').selectAll().execute()).toEqual([
    CHANGE,
    { ...CHANGE, id: '2', createdAt: 6 },
  ]);
  expect((await between(database.db, { first: 6, last: 7 })).rows).toEqual([{ id: '2' }]);
  expect((await between(database.db, { last: 5, first: 0 })).rows).toEqual([{ id: '1' }]);
});

test('runs in the transaction that it is given', async () => {
  const failing = database.db.transaction().execute(async (transaction) => {
    await insert(transaction, CHANGE);
    throw new Error('No.');
  });
  await expect(failing).rejects.toThrow('No.');
  expect((await between(database.db, { first: 0, last: 9 })).rows).toEqual([]);
});

test('is built once, also of raw text', async () => {
  let built = 0;
  const echo = preparedQuery<{ one: string; other: number }, { text: string }>((db, placeholder) => {
    built++;
    return sql<{
      text: string;
    }>`select ${placeholder('one')} || ${placeholder('other')} || ${placeholder('one')} as text`.compile(db);
  });
  expect((await echo(database.db, { one: 'a', other: 1 })).rows).toEqual([{ text: 'a1.0a' }]);
  expect((await echo(database.db, { one: 'b', other: 2 })).rows).toEqual([{ text: 'b2.0b' }]);
  expect(built).toBe(1);
});
