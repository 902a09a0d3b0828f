import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createKeyring } from '../src/auth/keyring.ts';
import type { CatalogStore } from '../src/catalog/catalog-store.ts';
import { createSqlCatalog } from '../src/catalog/sql/catalog.ts';
import { openDatabase } from '../src/db/open.ts';
import type { OpenDatabase } from '../src/db/schema.ts';
import { PreparedStatements } from '../src/db/sqlite/prepared-statements.ts';
import { SqlJobStore } from '../src/jobs/sql-job-store.ts';
import { parsePath } from '../src/path.ts';
import { newJob } from './contracts/job-store/bench.ts';

let folder: string;
let database: OpenDatabase;
let jobs: SqlJobStore;
let catalog: CatalogStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-plans-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  jobs = new SqlJobStore(database.db);
  catalog = createSqlCatalog(database);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
  await rm(folder, { recursive: true });
});

/** Returns SQLite's plans of all statements that the work runs, one step per line. */
async function plansOf(work: () => Promise<unknown>): Promise<string> {
  const prepare = vi.spyOn(PreparedStatements.prototype, 'prepare');
  await work();
  const texts = new Set(prepare.mock.calls.map(([text]) => text));
  prepare.mockRestore();
  const sqlite = new Database(database.location, { readonly: true });
  const steps = Array.from(texts, (text) =>
    sqlite.prepare<[], { detail: string }>(`explain query plan ${text.replaceAll('?', 'null')}`).all(),
  );
  sqlite.close();
  return steps
    .flat()
    .map(({ detail }) => detail)
    .join('\n');
}

const SORTS = /TEMP B-TREE/;

describe('the queue, however many jobs wait,', () => {
  test('is claimed from by reading the oldest job of each client', async () => {
    await jobs.add(newJob('a'));
    const plans = await plansOf(() => jobs.claim(1000, 1));
    expect(plans).toMatch(/job_waiting_idx \(status=\? AND priority=\? AND client>\?\)/);
    expect(plans).toMatch(/job_waiting_idx \(status=\? AND priority=\? AND client=\?\)/);
    expect(plans).not.toMatch(/SCAN (job|own)\b|FOR DISTINCT/);
  });

  test('takes a job without counting them', async () => {
    const limits = { pending: 10, reserved: 1, ofClient: 5 };
    const plans = await plansOf(() => jobs.add(newJob('a', { client: 'a' }), limits));
    expect(plans).toMatch(/job_count/);
    expect(plans).not.toMatch(/SCAN job\b|job_(status|waiting|listed)_idx/);
  });

  test('is listed by state without sorting or counting them', async () => {
    const plans = await plansOf(() => jobs.list({ limit: 50, offset: 0, status: 'pending' }));
    expect(plans).toMatch(/job_listed_idx/);
    expect(plans).not.toMatch(SORTS);
    expect(await plansOf(() => jobs.counts())).not.toMatch(/SCAN job\b/);
  });

  test('is tidied without reading those that have not ended', async () => {
    expect(await plansOf(() => jobs.removeFinished(1000))).not.toMatch(/SCAN job\b/);
  });
});

test('the first page of the API keys sorts none', async () => {
  expect(await plansOf(() => createKeyring({ database }).list({ limit: 10 }))).not.toMatch(SORTS);
});

test('the item that was deleted last from a path is found by the path', async () => {
  const plans = await plansOf(() => catalog.trash.latestOf(parsePath('a.jpg')));
  expect(plans).toMatch(/trash_path_idx/);
  expect(plans).not.toMatch(SORTS);
});

test('files to describe are claimed without reading the folders of the trash', async () => {
  await catalog.files.put([
    { path: parsePath('a.jpg'), size: 1, etag: 'a', modifiedAt: new Date(), createdAt: new Date() },
  ]);
  const plans = await plansOf(() => catalog.descriptions.claim(1, 1000));
  expect(plans).toMatch(/SEARCH hidden USING INTEGER PRIMARY KEY/);
  expect(plans).not.toMatch(/LIST SUBQUERY/);
});
