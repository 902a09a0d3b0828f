import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { keepStatements } from './kept-statements.ts';

test('a statement is prepared once, and sees tables that another connection has changed meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'statements-'));
  const [one, other] = [new Database(join(folder, 'a.db')), new Database(join(folder, 'a.db'))];
  try {
    one.exec('create table pet (name text)');
    one.exec("insert into pet values ('Ada')");
    const prepare = vi.spyOn(one, 'prepare');
    const kept = keepStatements(one);
    const all = () => kept.prepare('select * from pet').all([]);
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
