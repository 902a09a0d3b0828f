import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readDatabaseHealth } from '../../src/db/health.ts';
import { MIGRATIONS } from '../../src/db/migrations.ts';
import { checkDatabase, openDatabase } from '../../src/db/open.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { freePort } from '../ports.ts';
import { describeOnPostgres, newDatabase } from './database.ts';
import { PostgresServer } from './server.ts';

const FUTURE = '999-future';
const unavailable = expect.objectContaining({
  status: 503,
  code: 'database_unavailable',
  headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
});

describeOnPostgres('a database on PostgreSQL', () => {
  let url: string;
  const open: OpenDatabase[] = [];
  const start = async (options: { migrate?: 'auto' | 'off'; poolMax?: number } = {}) => {
    const database = await openPostgres({ url, ...options });
    open.push(database);
    return database;
  };
  beforeEach(async () => {
    url = await newDatabase();
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((database) => database.close()));
  });

  describe('a start', () => {
    test('makes the tables of SQLite with the same columns', async () => {
      const sqlite = await openDatabase({ file: ':memory:' });
      const columns = async ({ db }: OpenDatabase) => {
        // The full-text indexes differ between the two.
        const tables = (await db.introspection.getTables()).filter(({ name }) => !/^asset_(words|names)/.test(name));
        return Object.fromEntries(
          tables.map((table) => [
            table.name,
            // SQLite does not report its implicit primary keys as never null.
            table.columns
              .map(({ name, isNullable }) => `${name}${isNullable && !['sequence', 'id'].includes(name) ? '?' : ''}`)
              .sort(),
          ]),
        );
      };
      // PostgreSQL has additional tables that only several nodes need.
      expect(await columns(await start())).toMatchObject(await columns(sqlite));
      await sqlite.close();
    });

    test('may be made by several nodes at the same moment', async () => {
      await Promise.all(Array.from({ length: 4 }, () => start()));
      const { db } = open[0] as OpenDatabase;
      const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
      expect(rows.map(({ name }) => name)).toEqual(Object.keys(MIGRATIONS));
    });

    test('beside tables that a newer version has changed goes on, where that version says so, and leaves them as they are', async () => {
      const { db } = await start();
      await sql`insert into kysely_migration values (${FUTURE}, '2099-01-01')`.execute(db);
      await start();
      await start({ migrate: 'off' });
      await db.updateTable('setting').set({ value: FUTURE }).where('name', '=', 'schema.compatible_from').execute();
      await expect(start()).rejects.toThrow(/a newer version has changed its tables \(999-future\)/);
    });

    test('with DATABASE_MIGRATE=off makes no tables, and says what makes them', async () => {
      await expect(start({ migrate: 'off' })).rejects.toThrow(/lack 001-initial.*npm run admin -- migrate/);
      expect(await checkDatabase({ file: '', url })).toMatch(/lacks 001-/);
      await start();
      await start({ migrate: 'off' });
      expect(await checkDatabase({ file: '', url })).toMatch(/up to date/);
    });

    test('that fails says why, without the password', async () => {
      const at = (change: (address: URL) => void) => {
        const address = new URL(url);
        change(address);
        return openPostgres({ url: address.href }).then(String, String);
      };
      const port = String(await freePort());
      const reasons = [
        await at((address) => (address.password = 'a-wrong-secret')),
        await at((address) => (address.pathname = '/nowhere')),
        await at((address) => (address.port = port)),
        await at((address) => (address.hostname = 'nowhere.invalid')),
      ];
      expect(reasons).toEqual([
        expect.stringContaining('the user or the password is wrong'),
        expect.stringContaining('there is no database of this name'),
        expect.stringContaining('nothing answers at this address'),
        expect.stringContaining('the host is not known'),
      ]);
      for (const reason of reasons) {
        expect(reason).not.toContain(new URL(url).password);
        expect(reason).not.toContain('secret');
      }
    });
  });

  describe('values', () => {
    test('numbers above 2^31 are exact, and one that could not be is an error', async () => {
      const { db } = await start();
      const row = { id: 1, size: 2 ** 53 - 1, fileCount: 2 ** 40, updatedAt: '2026-01-01T00:00:00.000Z' };
      await db.insertInto('storage_total').values(row).execute();
      expect(await db.selectFrom('storage_total').selectAll().execute()).toEqual([row]);
      await db
        .updateTable('storage_total')
        .set((eb) => ({ size: eb('size', '+', 1) }))
        .execute();
      await expect(db.selectFrom('storage_total').selectAll().execute()).rejects.toThrow('9007199254740992');
    });

    test('texts are sorted by their bytes, as on SQLite', async () => {
      const { db } = await start();
      for (const name of ['b', 'A', 'ä', 'a', 'B', '_'])
        await db.insertInto('setting').values({ name, value: '' }).execute();
      const rows = await db.selectFrom('setting').select('name').where('value', '=', '').orderBy('name').execute();
      expect(rows.map(({ name }) => name).join('')).toBe('AB_abä');
    });

    test('a text with U+0000 is the fault of whoever sent it', async () => {
      const { db } = await start();
      const looking = db.selectFrom('job').selectAll().where('id', '=', 'a\0b').execute();
      await expect(looking).rejects.toMatchObject({ status: 400, code: 'validation_failed' });
    });

    test('a wrong statement is an error of its own', async () => {
      const { db } = await start();
      await expect(sql`select nothing from nowhere`.execute(db)).rejects.toMatchObject({ code: '42P01' });
    });
  });

  test('statements are planned for lookups at random places, and are not compiled', async () => {
    const { db, reader } = await start();
    for (const connection of [db, reader]) {
      const { rows } = await sql`
        select current_setting('random_page_cost') as lookup, current_setting('jit') as jit
      `.execute(connection);
      expect(rows).toEqual([{ lookup: '1.1', jit: 'off' }]);
    }
  });

  test('its health tells version, size and connections, and no password', async () => {
    const health = await readDatabaseHealth(await start());
    const { host, pathname, password } = new URL(url);
    expect(health).toEqual({
      connected: true,
      path: `postgres://${host}${pathname}`,
      version: expect.stringMatching(/^\d+\.\d+/),
      size: expect.stringMatching(/ [KM]B$/),
      connections: expect.any(Number),
      tables: { user: 0, session: 0, account: 0, verification: 0, apiKey: 0 },
    });
    expect(JSON.stringify(health)).not.toContain(password);
  });

  describe('an outage', () => {
    const endOthers = ({ db }: OpenDatabase) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(db);

    test('that ends connections is 503 for whoever used them, and nobody afterwards', async () => {
      const database = await start();
      const other = await start();
      await sql`select 1`.execute(database.db);
      const begun = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      const transaction = database.db.transaction().execute(async (inside) => {
        await sql`select 1`.execute(inside);
        begun.resolve();
        await ended.promise;
        await sql`select 1`.execute(inside);
      });
      const sleeping = sql`select pg_sleep(60)`.execute(database.db);
      const failures = Promise.allSettled([transaction, sleeping]);
      await begun.promise;
      const active = async () =>
        (
          await sql`select pid from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()`.execute(
            other.db,
          )
        ).rows;
      await expect.poll(active).toHaveLength(1);
      await endOthers(other);
      ended.resolve();
      expect(await failures).toEqual([
        { status: 'rejected', reason: unavailable },
        { status: 'rejected', reason: unavailable },
      ]);
      for (let n = 0; n < 5; n++) await sql`select 1`.execute(database.db);
    });

    test('of all connections, because they are all in use, is 503', async () => {
      const { db } = await start({ poolMax: 1 });
      const released = Promise.withResolvers<void>();
      const holding = db.connection().execute(() => released.promise);
      await expect(sql`select 1`.execute(db)).rejects.toEqual(unavailable);
      released.resolve();
      await holding;
      await sql`select 1`.execute(db);
    });

    test('of the server is 503, also for what is under way, until it is back', async () => {
      const server = await PostgresServer.start();
      url = server.url();
      const { db } = await start();
      await server.kill();
      for (let n = 0; n < 7; n++) await expect(sql`select 1`.execute(db)).rejects.toEqual(unavailable);
      await server.start();
      await sql`select 1`.execute(db);
      server.signal('SIGSTOP');
      // A caller that needs a connection that is not open yet gets no response.
      const frozen = db.connection().execute(() => sql`select 1`.execute(db));
      await expect(frozen).rejects.toEqual(unavailable);
      server.signal('SIGCONT');
      await expect
        .poll(() =>
          sql`select 1`.execute(db).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
      await Promise.all(open.splice(0).map((database) => database.close()));
      await server.close();
    });
  });
});
