import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { openDatabase } from '../../src/db/open.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase, Schema } from '../../src/db/schema.ts';
import { SqlJobStore } from '../../src/jobs/sql-job-store.ts';
import { Outbox } from '../../src/outbox/outbox.ts';
import type { StoragePath } from '../../src/path.ts';
import { file } from '../contracts/catalog/bench.ts';
import { newJob } from '../contracts/job-store/bench.ts';
import { COMPILED } from '../processes.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE, signIn } from '../session.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

const COMMAND = new URL('../../src/admin.ts', import.meta.url).pathname;
const ACCOUNT = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
const TABLES = [
  'user',
  'session',
  'account',
  'sign_in_client',
  'verification',
  'api_key',
  'setting',
  'job',
  'storage_total',
  'outbox',
  'audit',
  'usage_day',
  'activity_hour',
  'asset',
  'asset_tag',
  'asset_change',
  'folder_usage',
  'trash',
  'asset_version',
  'redirect',
] as const;

const USAGE = { space: '', day: '2026-11-27', key: 'k1', requests: 2 ** 40, storedBytes: null };

describeOnPostgres('migrate-database', () => {
  let data: string;
  let url: string;
  let service: TestService;
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'darkroom-move-'));
    url = await newDatabase();
    service = await startService({ ...ACCOUNT, ...FROM_ANYWHERE, DATA_DIR: data });
  });
  afterEach(() => rm(data, { recursive: true }));

  /** Runs the command to its end; returns its output, and true for success. */
  const run = (target: string) =>
    new Promise<{ isGood: boolean; said: string }>((resolve) => {
      execFile(
        process.execPath,
        [COMMAND, 'migrate-database', target],
        { env: { ...COMPILED, DATA_DIR: data } },
        (error, out, complaint) => resolve({ isGood: !error, said: out + complaint }),
      );
    });
  /** Returns all rows, except each database's own tables, usage rows of zero, and the state of the search index. */
  const contents = async ({ db }: OpenDatabase) => {
    const rows = await Promise.all(
      TABLES.map(async (table) =>
        (
          await db
            .selectFrom(table as keyof Schema)
            .selectAll()
            .execute()
        )
          .map((row) =>
            JSON.stringify(
              row,
              Object.keys(row)
                .filter((name) => name !== 'searchable')
                .sort(),
            ),
          )
          .sort(),
      ),
    );
    return rows.map((all) => all.filter((row) => !row.includes('"schema.') && !row.includes('"fileCount":0,')));
  };

  test('copies all rows, exactly, and new ones come after the old ones', async () => {
    await signIn(service, ACCOUNT);
    for (let n = 0; n < 1100; n++) await service.services.database.db.insertInto('job').values(jobRow(n)).execute();
    await service.services.database.db
      .insertInto('storage_total')
      .values({ id: 1, size: 2 ** 50, fileCount: 7, updatedAt: new Date().toISOString() })
      .execute();
    await addMessages(service.services.database.db, ['cdn', 'webhook']);
    await service.services.database.db.insertInto('usage_day').values(USAGE).execute();
    await fillCatalog(service.services.database);
    await service.close();
    const { isGood, said } = await run(url);
    expect(said).toContain('job: 1100');
    expect(isGood).toBe(true);
    expect(said).not.toContain(new URL(url).password);

    const from = await openDatabase({ file: join(data, 'darkroom.db') });
    const to = await openPostgres({ url });
    expect(await contents(to)).toEqual(await contents(from));
    const { job } = await new SqlJobStore(to.db).add(newJob('new'));
    const newest = to.db.selectFrom('job').select(['id', 'sequence']).orderBy('sequence', 'desc').limit(1);
    expect(await newest.executeTakeFirst()).toEqual({ id: job.id, sequence: 1101 });
    await addMessages(to.db, ['cdn']);
    const sequences = await to.db.selectFrom('outbox').select('sequence').orderBy('sequence').execute();
    expect(sequences.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    const folders = to.db.selectFrom('folder').selectAll();
    const files = createSqlCatalog(to).files;
    const highest = Math.max(...(await folders.execute()).map(({ id }) => id));
    expect((await createSqlCatalog(to).folders.add('later' as StoragePath)).id).toBe(highest + 1);
    expect(await files.put([file('new.jpg')])).toEqual([702]);
    expect(await files.find('a/1/7.jpg' as StoragePath)).toMatchObject({ id: 7, tags: ['red'] });
    expect(await createSqlCatalog(to).makeSearchable(1000)).toBe(700);
    const found = await createSqlCatalog(to).search.page({ text: 'red', sort: 'name', order: 'asc', limit: 10 });
    expect(found.assets.map(({ id }) => id)).toEqual([7]);
    await from.close();
    await to.close();
  });

  test('takes people, invitations and the version that they require along', async () => {
    const { invitations, members } = service.services;
    const { invitation } = await invitations.create({ space: '', role: 'viewer', actor: { type: 'key', id: 'a key' } });
    const people = await members.list('');
    await service.close();
    expect(await run(url)).toMatchObject({ isGood: true });
    const { db, close } = await openPostgres({ url });
    expect(await db.selectFrom('member').select(['userId', 'role']).execute()).toEqual(
      people.map(({ userId, role }) => ({ userId, role })),
    );
    expect(await db.selectFrom('invitation').select('id').execute()).toEqual([{ id: invitation.id }]);
    const required = db.selectFrom('setting').select('value').where('name', '=', 'schema.compatible_from');
    expect(await required.execute()).toEqual([{ value: '005-spaces' }]);
    await close();
  });

  test('refuses a database that is not empty, and changes nothing there', async () => {
    await service.close();
    const other = await openPostgres({ url });
    await other.db.insertInto('setting').values({ name: 'mine', value: 'kept' }).execute();
    const before = await contents(other);
    expect(await run(url)).toEqual({
      isGood: false,
      said: expect.stringMatching(/Expected an empty database, .*setting 1/),
    });
    expect(await contents(other)).toEqual(before);
    await other.close();
  });

  test('refuses what is no address of a database, without showing it', async () => {
    await service.close();
    const { isGood, said } = await run('mysql://me:hidden@db/x');
    expect(isGood).toBe(false);
    expect(said).toContain('Expected the URL of a PostgreSQL database');
    expect(said).not.toContain('hidden');
  });
});

async function addMessages(db: OpenDatabase['db'], targets: readonly string[]): Promise<void> {
  const outbox = new Outbox(db, { maxWaitMs: 3_600_000 });
  await outbox.add(targets.map((target) => ({ target, event: 'file.stored', payload: '{}' })));
}

function jobRow(n: number) {
  const { path, variantKey, transformation, version, priority } = newJob(`v${n}`);
  const now = new Date().toISOString();
  return {
    path,
    variantKey,
    transformation,
    version,
    priority,
    id: `job ${n}`,
    status: 'pending' as const,
    progress: 0,
    attempts: 0,
    lostLeases: 0,
    dueAt: now,
    createdAt: now,
    client: '',
    turn: 0,
  };
}

async function fillCatalog(database: OpenDatabase): Promise<void> {
  const catalog = createSqlCatalog(database);
  await catalog.files.put(Array.from({ length: 700 }, (_, n) => file(`a/${(n + 1) % 3}/${n + 1}.jpg`)));
  await catalog.files.put([file('gone.jpg')]);
  await catalog.files.remove(['gone.jpg' as StoragePath]);
  await catalog.intents.begin({ node: 'n', kind: 'move', from: 'a' as StoragePath, to: null });
  const { db } = database;
  await catalog.tags.change(['a/1/7.jpg' as StoragePath], { add: ['red'] });
  const times = { size: 1, createdAt: 2 };
  await db
    .insertInto('asset_version')
    .values({ id: 'v', assetId: 7, etag: 'old', ...times })
    .execute();
  const redirect = { from: 'old.jpg', to: 'a/1/7.jpg', isFolder: 0, createdAt: 2 ** 40 };
  await db.insertInto('redirect').values(redirect).execute();
  const deletedAt = 2 ** 40;
  const expiresAt = 2 ** 41;
  await db
    .insertInto('trash')
    .values({ id: 't', path: 'x', kind: 'folder', size: 5, fileCount: 1, deletedAt, expiresAt })
    .execute();
}
