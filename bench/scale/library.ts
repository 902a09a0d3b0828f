import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../../src/db/open.ts';
import { parsePath } from '../../src/path.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';

/** Rows of other tables are fewer than originals by these factors. The trash has as many items. */
export const SHARES = { tombstones: 10, keys: 100 } as const;

const HOUR_MS = 3_600_000;
/** Ids of folders; the root is 1. */
const LARGE = 2;
const LIBRARY = 3;
const TRASH = 4;
const TOMBSTONES = 5;
const SMALL = 1000;
const TRASHED = 10_000_000;
const VANISHED = 20_000_000;

const known = new Map<string, Promise<string>>();
const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export const databaseOf = (data: string) => openDatabase({ file: join(data, 'darkroom.db') });

/** Data folder with that many originals, half of them in the folder `large`, and as many items in the trash. */
export function libraryOf(originals: number): Promise<string> {
  return dataFolder(`library-${originals}`, async (data) => {
    for (const name of ['large', 'library', 'inbox']) await mkdir(join(data, 'originals', name), { recursive: true });
    await fill(data, [
      ...originalsOf(originals),
      ...trashOf(originals),
      ...tombstonesOf(originals / SHARES.tombstones, Date.now() - HOUR_MS),
      keysOf(originals / SHARES.keys),
      `insert into setting values ('catalog', '{"indexedAt":1,"reconciledAt":1}')`,
    ]);
  });
}

/** Data folder with nothing but jobs of 20 clients, one of them trusted. */
export function queueOf(jobs: number, status: 'pending' | 'error'): Promise<string> {
  return dataFolder(`${status}-${jobs}`, (data) => fill(data, [jobsOf(jobs, status)]));
}

/** Data folder with nothing but expired tombstones. */
export function expiredTombstones(count: number): Promise<string> {
  return dataFolder(`tombstones-${count}`, (data) => fill(data, tombstonesOf(count, 0)));
}

/** Creates a data folder at the first call. It is deleted when the process exits. */
function dataFolder(name: string, create: (data: string) => Promise<void>): Promise<string> {
  const found = known.get(name);
  if (found) return found;
  const data = mkdtempSync(join(tmpdir(), `darkroom-scale-${name}-`));
  folders.push(data);
  const created = create(data).then(() => data);
  known.set(name, created);
  return created;
}

/** Fills a new database in single statements, without the safety that a service needs. */
async function fill(data: string, statements: readonly string[]): Promise<void> {
  const { db, close } = await databaseOf(data);
  const run = (statement: string) => sql.raw(statement).execute(db);
  for (const setting of ['journal_mode = off', 'synchronous = off', 'foreign_keys = off', 'cache_size = -500000'])
    await run(`pragma ${setting}`);
  await run(addFolders(1, TRASH, 'null', "'/trash'", "'trash'"));
  await run(addFolders(1, TOMBSTONES, TRASH, "'/trash/vanished'", "'vanished'"));
  for (const statement of statements) await run(statement);
  const store = await createDiskStore({ root: join(data, 'originals'), temp: join(data, 'tmp') });
  for (const path of ['', 'large'].map(parsePath)) {
    const mark = await store.folderFingerprint(path);
    await db.updateTable('folder').set({ mark }).where('path', '=', path).execute();
  }
  await run('pragma journal_mode = wal');
  await close();
}

/** Inserts rows; the values are SQL, in which `i` is the number of the row. */
function add(count: number, table: string, columns: string, values: string): string {
  const last = Math.ceil(count) - 1;
  return `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${last})
    insert into ${table} (${columns}) select ${values} from n`;
}

function addFolders(count: number, id: number | string, parent: number | string, path: string, name: string): string {
  const values = `${id}, ${parent}, ${path}, cast(${name} as blob), ${name}`;
  return add(count, 'folder', 'id, parentId, path, nameKey, folded', values);
}

/** Described files. Their names, sizes and times rise, so that inserting them is fast. */
function addFiles(count: number, folder: number | string, prefix: string): string {
  const name = `printf('${prefix}-%08d.jpg', i)`;
  return add(
    count,
    'asset',
    `folderId, name, nameKey, folded, kind, extension, size, modifiedAt, createdAt, fileId, searchable, width, height,
     codec, etag, describedEtag`,
    `${folder}, ${name}, cast(${name} as blob), ${name}, 'image', 'jpg', i, i, i, ${name}, 1, 1000, 1000,
     'jpeg', 'etag', 'etag'`,
  );
}

function originalsOf(count: number): string[] {
  const half = count / 2;
  return [
    addFolders(1, LARGE, 1, "'large'", "'large'"),
    addFolders(1, LIBRARY, 1, "'library'", "'library'"),
    addFolders(half / 100, `${SMALL} + i`, LIBRARY, "'library/' || i", "'' || i"),
    addFiles(half, LARGE, 'large'),
    addFiles(half, `${SMALL} + i / 100`, 'small'),
  ];
}

function trashOf(count: number): string[] {
  const id = "printf('%08d-0000-4000-8000-000000000000', i)";
  const deletedAt = `${Date.now() - HOUR_MS} - i`;
  return [
    addFolders(count, `${TRASHED} + i`, TRASH, `'/trash/' || ${id}`, id),
    addFiles(count, `${TRASHED} + i`, 'trashed'),
    add(
      count,
      'trash',
      'id, path, kind, size, fileCount, deletedAt, expiresAt',
      `${id}, 'large/' || i, 'image', 1, 1, ${deletedAt}, ${deletedAt} + ${30 * 24 * HOUR_MS}`,
    ),
  ];
}

function tombstonesOf(count: number, vanishedAt: number): string[] {
  const name = `printf('%015d-%08d', ${vanishedAt}, i)`;
  return [
    addFolders(count, `${VANISHED} + i`, TOMBSTONES, `'/trash/vanished/' || ${name}`, name),
    addFiles(count, `${VANISHED} + i`, 'vanished'),
  ];
}

function jobsOf(count: number, status: string): string {
  return add(
    count,
    'job',
    `id, path, variantKey, transformation, version, priority, status, progress, attempts, lostLeases, dueAt, createdAt,
     client`,
    `printf('job-%08d', i), 'videos/' || i, 'variant-' || i, 'w_320', 'etag', 3, '${status}', 0, 0, 0,
     '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', iif(i % 20 = 0, '', 'client-' || i % 20)`,
  );
}

function keysOf(count: number): string {
  const createdAt = "strftime('%Y-%m-%dT%H:%M:%fZ', 1750000000 + i, 'unixepoch')";
  return add(
    count,
    'api_key',
    `id, name, start, hash, enabled, permissions, refilledAt, rateLimitStartedAt, rateLimitCount, createdAt, updatedAt`,
    `'key-' || i, 'key', 'dr_012', 'hash-' || i, 1, '["read"]', 0, 0, 0, ${createdAt}, ${createdAt}`,
  );
}
