import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../open.ts';
import type { OpenDatabase } from '../schema.ts';

let folder: string;
let file: string;
let database: OpenDatabase;
/** Stands for the connection of another process. */
let other: Database;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-lock-'));
  file = join(folder, 'darkroom.db');
  database = await openDatabase({ file, waitMs: 60_000 });
  await database.db.deleteFrom('setting').execute();
  other = new Database(file);
});
afterEach(async () => {
  other.close();
  await database.close();
  await rm(folder, { recursive: true });
});

const write = (name: string, at = database) => at.db.insertInto('setting').values({ name, value: 'v' }).execute();
const names = async () => (await database.db.selectFrom('setting').select('name').execute()).map(({ name }) => name);
const rename = (from: string, to: string) =>
  database.db.transaction().execute(async (transaction) => {
    const row = await transaction.selectFrom('setting').selectAll().where('name', '=', from).executeTakeFirstOrThrow();
    await transaction
      .insertInto('setting')
      .values({ ...row, name: to })
      .execute();
    await transaction.deleteFrom('setting').where('name', '=', from).execute();
  });
const refusal = expect.objectContaining({ status: 503, headers: { 'Retry-After': expect.stringMatching(/^\d+$/) } });

describe('while another process holds the database', () => {
  test('writes and transactions wait, reads do not, and the process goes on', async () => {
    await write('before');
    other.exec('begin immediate');
    const order: string[] = [];
    const writing = write('during').then(() => order.push('written'));
    const renaming = rename('before', 'after').then(() => order.push('renamed'));
    expect(await names()).toEqual(['before']);
    await new Promise((resolve) => setImmediate(resolve));
    order.push('unlocked');
    other.exec('commit');
    await Promise.all([writing, renaming]);
    expect(order[0]).toBe('unlocked');
    expect((await names()).toSorted()).toEqual(['after', 'during']);
  });

  test('a write that has waited too long is 503, and nothing of it remains', async () => {
    const hurried = await openDatabase({ file, waitMs: 20 });
    await write('before');
    other.exec('begin immediate');
    await expect(write('during', hurried)).rejects.toEqual(refusal);
    const transaction = hurried.db.transaction().execute((inside) => inside.deleteFrom('setting').execute());
    await expect(transaction).rejects.toEqual(refusal);
    other.exec('commit');
    expect(await names()).toEqual(['before']);
    await write('afterwards', hurried);
    expect(await names()).toEqual(['afterwards', 'before']);
    await hurried.close();
  });

  test('a query that was prepared waits in the same way', async () => {
    await write('before');
    const find = database.prepare(database.db.selectFrom('setting').select('value').where('name', '=', ''));
    expect(await find('before')).toEqual([{ value: 'v' }]);
    const changing = database.prepare(
      database.db.updateTable('setting').set({ value: 'w' }).where('name', '=', '').returning('value'),
    );
    other.exec('begin immediate');
    const writing = changing('w', 'before');
    other.exec('commit');
    expect(await writing).toEqual([{ value: 'w' }]);
    expect(await find('nothing')).toEqual([]);
  });
});

describe('a transaction', () => {
  test('is not seen half, and takes no statement of others in', async () => {
    await write('a');
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const failing = database.db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('setting').execute();
      begun.resolve();
      await goOn.promise;
      throw new Error('changed its mind');
    });
    await begun.promise;
    const beside = write('b');
    const reading = names();
    const renaming = rename('a', 'c');
    goOn.resolve();
    await expect(failing).rejects.toThrow('changed its mind');
    await Promise.all([beside, renaming]);
    expect(await reading).toContain('a');
    expect((await names()).toSorted()).toEqual(['b', 'c']);
  });

  test('holds the lock from its beginning: two that read and then write come one after the other', async () => {
    const second = await openDatabase({ file, waitMs: 60_000 });
    await database.db.insertInto('setting').values({ name: 'count', value: '0' }).execute();
    const increment = ({ db }: OpenDatabase) =>
      db.transaction().execute(async (transaction) => {
        const { value } = await transaction.selectFrom('setting').select('value').executeTakeFirstOrThrow();
        await new Promise((resolve) => setImmediate(resolve));
        await transaction
          .updateTable('setting')
          .set({ value: String(Number(value) + 1) })
          .execute();
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => increment(n % 2 ? database : second)));
    expect(await database.db.selectFrom('setting').selectAll().execute()).toEqual([{ name: 'count', value: '20' }]);
    await second.close();
  });
});

test('a database that can no longer be written is 503, with the reason as its cause', async () => {
  await sql`pragma query_only = on`.execute(database.db);
  const error: unknown = await write('a').catch((reason: unknown) => reason);
  expect(error).toEqual(refusal);
  expect((error as Error).cause).toMatchObject({ code: 'SQLITE_READONLY' });
});

test('a wrong statement is an error of its own', async () => {
  await write('a');
  await expect(write('a')).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
});
