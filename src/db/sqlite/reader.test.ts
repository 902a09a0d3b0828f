import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../open.ts';
import type { OpenDatabase } from '../schema.ts';
import { createReader } from './reader.ts';

let folder: string;
let database: OpenDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-reader-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

/** Takes some hundred milliseconds. */
const slow = sql<{ n: number }>`
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 1000000) select max(n) as n from numbers
`;

test('reads what was committed before, bytes too', async () => {
  await database.db.insertInto('setting').values({ name: 'a', value: 'b' }).execute();
  const row = await database.reader.selectFrom('setting').select('value').where('name', '=', 'a').executeTakeFirst();
  expect(row).toEqual({ value: 'b' });
  const { rows } = await sql<{ bytes: Uint8Array }>`select ${Buffer.from('xyz')} as bytes`.execute(database.reader);
  expect(Buffer.from(rows[0]?.bytes ?? []).toString()).toBe('xyz');
});

test('lets everything else run meanwhile', async () => {
  let turns = 0;
  let isDone = false;
  const read = slow.execute(database.reader).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  expect((await read).rows).toEqual([{ n: 1_000_000 }]);
  expect(turns).toBeGreaterThan(10);
});

test('says what is wrong with a statement, cannot write, and goes on', async () => {
  await expect(sql`select nothing`.execute(database.reader)).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
  await expect(sql`delete from setting`.execute(database.reader)).rejects.toThrow();
  expect((await sql<object>`select 1 as one`.execute(database.reader)).rows).toEqual([{ one: 1 }]);
});

test('is another thread after one has died', async () => {
  const file = join(folder, 'later.db');
  const reader = createReader(file, 1000);
  const one = sql<object>`select 1 as one`;
  const asked = await Promise.allSettled([one.execute(reader.db), one.execute(reader.db)]);
  for (const answer of asked) expect(answer).toMatchObject({ status: 'rejected', reason: { status: 503 } });
  await (await openDatabase({ file })).close();
  expect((await one.execute(reader.db)).rows).toEqual([{ one: 1 }]);
  await reader.close();
  await reader.close();
});

test('ends with the database, and what was asked of it too', async () => {
  const reading = slow.execute(database.reader);
  await new Promise((resolve) => setImmediate(resolve));
  const failure = expect(reading).rejects.toMatchObject({ status: 503 });
  await database.close();
  await failure;
  await expect(slow.execute(database.reader)).rejects.toThrow('closed');
});
