import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from './open.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-db-'));
  file = join(folder, 'deep', 'darkroom.db');
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** Opens the database in another process once it is told to; its answer is the number of tables, or the error. */
function opener() {
  const script = `
    import { openDatabase } from ${JSON.stringify(new URL('./open.ts', import.meta.url).href)};
    process.stdin.once('data', async () => {
      try {
        const { sqlite, close } = await openDatabase({ file: ${JSON.stringify(file)} });
        console.log(sqlite.pragma('table_list').length);
        close();
      } catch (error) { console.log(error.message); }
      process.exit();
    });
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ready = once(child.stdout, 'data');
  const open = async () => {
    child.stdin.write('go');
    return String((await once(child.stdout, 'data'))[0]).trim();
  };
  return { ready, open };
}

describe('a new database', () => {
  test('is readable by its owner alone, whatever the umask, and so are its journal files', async () => {
    const umask = process.umask(0);
    try {
      const { db, close } = await openDatabase({ file });
      await db.insertInto('setting').values({ name: 'a', value: 'b' }).execute();
      expect(await Promise.all(['', '-wal', '-shm'].map((end) => modeOf(file + end)))).toEqual(['600', '600', '600']);
      close();
    } finally {
      process.umask(umask);
    }
  });

  test('writes ahead, never waits for a lock with the whole process, checks foreign keys and syncs at checkpoints', async () => {
    const { sqlite, close } = await openDatabase({ file });
    const pragma = (name: string) => sqlite.pragma(name, { simple: true });
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('busy_timeout')).toBe(0);
    expect(pragma('foreign_keys')).toBe(1);
    expect(pragma('synchronous')).toBe(1);
    close();
  });

  test('may be opened by several processes at once', async () => {
    const openers = Array.from({ length: 4 }, opener);
    await Promise.all(openers.map(({ ready }) => ready));
    const answers = await Promise.all(openers.map(({ open }) => open()));
    expect(new Set(answers).size, answers.join()).toBe(1);
    expect(Number(answers[0])).toBeGreaterThan(6);
  });
});

describe('an existing database', () => {
  test.each(['wal', 'delete'])(
    'that another process holds (journal mode %s) is waited for, and nothing else waits',
    async (mode) => {
      await mkdir(dirname(file), { recursive: true });
      const holder = new Database(file);
      holder.pragma(`journal_mode = ${mode}`);
      holder.exec('create table held (id); begin exclusive');
      const opening = openDatabase({ file });
      for (let turn = 0; turn < 1000; turn++) await nextTurn();
      holder.exec('commit');
      const { db, close } = await opening;
      expect(await db.selectFrom('setting').selectAll().execute()).toEqual([]);
      close();
      holder.close();
    },
  );

  test('keeps its rows and its mode', async () => {
    const first = await openDatabase({ file });
    await first.db.insertInto('setting').values({ name: 'a', value: 'b' }).execute();
    first.close();
    await chmod(file, 0o640);
    const second = await openDatabase({ file });
    expect(await second.db.selectFrom('setting').selectAll().execute()).toEqual([{ name: 'a', value: 'b' }]);
    expect(await modeOf(file)).toBe('640');
    second.close();
    second.close();
  });

  test('of a newer version is refused with its migration named', async () => {
    const { db, close } = await openDatabase({ file });
    await sql`insert into kysely_migration values ('999-future', '2099-01-01')`.execute(db);
    close();
    await expect(openDatabase({ file })).rejects.toThrow(/Cannot open the database .*darkroom\.db: .*999-future/);
  });

  test('that is no database is refused and left as it is', async () => {
    const other = join(folder, 'notes.txt');
    await writeFile(other, 'These are my notes, not a database. '.repeat(100));
    await expect(openDatabase({ file: other })).rejects.toThrow('the file is not a SQLite database');
    expect(await readFile(other, 'utf8')).toContain('my notes');
  });

  test('that lost its end is refused as damaged', async () => {
    const { close } = await openDatabase({ file });
    close();
    await truncate(file, 8192);
    await expect(openDatabase({ file })).rejects.toThrow('the file is damaged; restore a backup of it');
  });

  test('that is a folder is refused', async () => {
    await expect(openDatabase({ file: folder })).rejects.toThrow('expected a file, found a folder');
  });
});
