import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { PreparedStatements } from './prepared-statements.ts';

test('a statement is prepared once, and sees tables that another connection has changed meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'statements-'));
  const one = new Database(join(folder, 'a.db'));
  const other = new Database(join(folder, 'a.db'));
  try {
    one.exec('create table pet (name text)');
    one.exec("insert into pet values ('Ada')");
    const prepare = vi.spyOn(one, 'prepare');
    const kept = new PreparedStatements(one);
    const all = () => kept.prepare('select * from pet').all();
    expect(all()).toEqual([{ name: 'Ada' }]);
    other.exec("alter table pet add column kind text default 'cat'");
    expect(all()).toEqual([{ name: 'Ada', kind: 'cat' }]);
    other.exec('alter table pet drop column name');
    expect(all()).toEqual([{ kind: 'cat' }]);
    expect(prepare).toHaveBeenCalledTimes(1);
  } finally {
    one.close();
    other.close();
    await rm(folder, { recursive: true });
  }
});

test('a statement that is still read from does not keep others from running it', () => {
  const sqlite = new Database(':memory:');
  try {
    sqlite.exec("create table pet (name text); insert into pet values ('Ada'), ('Bob')");
    const kept = new PreparedStatements(sqlite);
    const first = kept.prepare('select name from pet');
    const reading = first.iterate();
    expect(reading.next().value).toEqual({ name: 'Ada' });
    expect(kept.prepare('select name from pet').all()).toHaveLength(2);
    expect([...reading]).toEqual([{ name: 'Bob' }]);
    expect(kept.prepare('select name from pet')).toBe(first);
  } finally {
    sqlite.close();
  }
});
