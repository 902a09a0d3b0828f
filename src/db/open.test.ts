import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Kysely, SqliteDialect, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { QuestionThread } from '../runtime/question-thread.ts';
import { requireMigration, runMigrations } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { openDatabase } from './open.ts';
import { openSqlite } from './sqlite/open.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-db-'));
  file = join(folder, 'deep', 'darkroom.db');
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** Starts a process that opens the database on request; it responds with the number of tables, or the error. */
function opener() {
  const script = `
    import { openDatabase } from ${JSON.stringify(new URL('./open.ts', import.meta.url).href)};
    process.stdin.once('data', async () => {
      try {
        const { db, close } = await openDatabase({ file: ${JSON.stringify(file)} });
        console.log((await db.introspection.getTables()).length);
        await close();
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
      await close();
    } finally {
      process.umask(umask);
    }
  });

  test('writes ahead, never waits for a lock with the whole process, checks foreign keys and syncs at checkpoints', async () => {
    const { db, close } = await openDatabase({ file });
    const pragma = async (name: string) => {
      const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
      return Object.values(rows[0] ?? {})[0];
    };
    expect(await pragma('journal_mode')).toBe('wal');
    expect(await pragma('busy_timeout')).toBe(0);
    expect(await pragma('foreign_keys')).toBe(1);
    expect(await pragma('synchronous')).toBe(1);
    await close();
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
      expect(await db.selectFrom('user').selectAll().execute()).toEqual([]);
      await close();
      holder.close();
    },
  );

  test('keeps its rows and its mode', async () => {
    const first = await openDatabase({ file });
    await first.db.insertInto('setting').values({ name: 'a', value: 'b' }).execute();
    await first.close();
    await chmod(file, 0o640);
    const second = await openDatabase({ file });
    const rows = second.db.selectFrom('setting').selectAll().where('name', '=', 'a');
    expect(await rows.execute()).toEqual([{ name: 'a', value: 'b' }]);
    expect(await modeOf(file)).toBe('640');
    await second.close();
    await second.close();
  });

  test('that a newer version has changed is refused with the migration named, unless that version says that this one can go on', async () => {
    const { db, close } = await openDatabase({ file });
    await sql`insert into kysely_migration values ('999-future', '2099-01-01')`.execute(db);
    await (await openDatabase({ file })).close();
    await db.updateTable('setting').set({ value: '999-future' }).where('name', '=', 'schema.compatible_from').execute();
    await close();
    await expect(openDatabase({ file })).rejects.toThrow(/Cannot open the database .*darkroom\.db: .*999-future/);
  });

  test('whose rows older versions would misunderstand keeps them out, also after a later migration', async () => {
    const { db, close } = await openDatabase({ file });
    const required = db.selectFrom('setting').select('value').where('name', '=', 'schema.compatible_from');
    await requireMigration(db, '005-spaces');
    await requireMigration(db, '003-outbox');
    expect(await required.execute()).toEqual([{ value: '005-spaces' }]);
    await runMigrations(db);
    expect(await required.execute()).toEqual([{ value: '005-spaces' }]);
    await close();
  });

  test('whose tables are out of date is left as it is with DATABASE_MIGRATE=off', async () => {
    await expect(openDatabase({ file, migrate: 'off' })).rejects.toThrow(/lack 001-.*npm run admin -- migrate/);
    await (await openDatabase({ file })).close();
    await (await openDatabase({ file, migrate: 'off' })).close();
  });

  test('that is no database is refused and left as it is', async () => {
    const other = join(folder, 'notes.txt');
    await writeFile(other, 'These are my notes, not a database. '.repeat(100));
    await expect(openDatabase({ file: other })).rejects.toThrow('the file is not a SQLite database');
    expect(await readFile(other, 'utf8')).toContain('my notes');
  });

  test('that lost its end is refused as damaged', async () => {
    const { close } = await openDatabase({ file });
    await close();
    await truncate(file, 8192);
    await expect(openDatabase({ file })).rejects.toThrow('the file is damaged; restore a backup of it');
  });

  test('that is large opens at once, and is reported as damaged after its check', async () => {
    const first = await openSqlite({ file });
    for (let n = 0; n < 50; n++)
      await first.db
        .insertInto('setting')
        .values({ name: `${n}`, value: 'x'.repeat(4000) })
        .execute();
    await first.close();
    const { size } = await stat(file);
    const damaged = await open(file, 'r+');
    await damaged.write(Buffer.alloc(20 * 4096, 'damage'), 0, 20 * 4096, size - 20 * 4096);
    await damaged.close();
    await expect(openSqlite({ file })).rejects.toThrow('the file is damaged; restore a backup of it');
    const large = await openSqlite({ file, checkedFirstBytes: 0, checkDelayMs: 0 });
    await expect.poll(() => large.file.state, { timeout: 30_000 }).toBe('damaged');
    await expect(large.file.assertDurable()).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('a backup of it has to be restored'),
    });
    await large.close();
  });

  test('that is large and in order is not reported', async () => {
    await (await openSqlite({ file })).close();
    const ask = vi.spyOn(QuestionThread.prototype, 'ask');
    const large = await openSqlite({ file, checkedFirstBytes: 0, checkDelayMs: 0 });
    await expect.poll(() => ask.mock.results[0]?.value).toBe('ok');
    expect(await large.file.check()).toBe('ok');
    await large.close();
  });

  test('that is a folder is refused', async () => {
    await expect(openDatabase({ file: folder })).rejects.toThrow('expected a file, found a folder');
  });
});

test('001-initial makes the tables that its merged migrations made', async () => {
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Database(':memory:') }) });
  await MIGRATIONS['001-initial']?.up(db);
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_master where sql is not null and name not like 'sqlite%' order by name
  `.execute(db);
  const merged = join(import.meta.dirname, '../../test/fixtures/tables-001.sql');
  expect(rows.map(({ sql: text }) => `${text};\n`).join('')).toBe(await readFile(merged, 'utf8'));
  await db.destroy();
});
