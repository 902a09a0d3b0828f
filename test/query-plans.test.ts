import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuditLog } from '../src/audit/audit-log.ts';
import type { AuditQuery } from '../src/audit/audit-rows.ts';
import { createKeyring } from '../src/auth/keyring.ts';
import type { CatalogStore } from '../src/catalog/catalog-store.ts';
import { createSqlCatalog } from '../src/catalog/sql/catalog.ts';
import { retainedBytes } from '../src/catalog/sql/usage.ts';
import { createLocalCluster } from '../src/cluster/local.ts';
import { openDatabase } from '../src/db/open.ts';
import type { OpenDatabase } from '../src/db/schema.ts';
import { PreparedStatements } from '../src/db/sqlite/prepared-statements.ts';
import { SqlJobStore } from '../src/jobs/sql-job-store.ts';
import { createLog } from '../src/log.ts';
import { parsePath } from '../src/path.ts';
import { described, file as entryOf } from './contracts/catalog/bench.ts';
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

describe('redirects, however many there are,', () => {
  test('are found, listed, followed and removed by an index', async () => {
    const [from, to] = [parsePath('a/b/c.jpg'), parsePath('x.jpg')];
    const calls = [
      () => catalog.redirects.find(from),
      () => catalog.redirects.page(10, from, parsePath('a')),
      () => catalog.redirects.page(10, undefined, undefined, { from: [from, to] }),
      () => catalog.redirects.page(10, undefined, undefined, { to: from }),
      () => catalog.redirects.areAround(from),
      () => catalog.redirects.put({ from, to, isFolder: false, createdAt: 1 }, true),
      () => catalog.redirects.follow(to, parsePath('y.jpg')),
      () => catalog.redirects.removeTo(parsePath('y.jpg')),
      () => catalog.redirects.remove(from),
    ];
    for (const call of calls) {
      const plans = await plansOf(call);
      expect(plans).toMatch(/redirect/);
      expect(plans).not.toMatch(/SCAN (redirect|trash)\b/);
    }
    expect(await plansOf(() => catalog.redirects.page(10, undefined, undefined, { to: from }))).toMatch(
      /redirect_to_idx \(to=\?\)/,
    );
  });

  test('are compared with the files of their paths by an index', async () => {
    await catalog.redirects.put(
      { from: parsePath('a/b.jpg'), to: parsePath('x.jpg'), isFolder: false, createdAt: 1 },
      true,
    );
    const plans = await plansOf(() => catalog.redirects.page(10, undefined, parsePath('a')));
    expect(plans).toMatch(/SEARCH asset USING .*INDEX \w+ \(folderId=\? AND nameKey=\?\)/);
    expect(plans).not.toMatch(/SCAN (redirect|folder|asset)\b/);
  });
});

describe('the queue, however many jobs wait,', () => {
  test('is claimed from by reading the oldest job of each client', async () => {
    await jobs.add(newJob('a'));
    const plans = await plansOf(() => jobs.claim(1000, 1));
    expect(plans).toMatch(/job_waiting_idx \(space=\? AND status=\? AND priority=\? AND client>\?\)/);
    expect(plans).toMatch(/job_waiting_idx \(space=\? AND status=\? AND priority=\? AND client=\?\)/);
    expect(plans).not.toMatch(/SCAN (job|own)\b|FOR DISTINCT/);
  });

  test('is claimed from by reading one job of each space', async () => {
    await jobs.add(newJob('a', { space: 'acme' }));
    const plans = await plansOf(() => jobs.claim(1000, 1));
    expect(plans).toMatch(/job_\w+_idx \(space>\?\)/);
    expect(plans).toMatch(/job_space_turn_idx \(space=\?\)/);
    expect(plans).toMatch(/job_client_turn_idx \(space=\? AND client=\?\)/);
  });

  test('counts the jobs of a space in the index alone, and reads only its newest', async () => {
    expect(await plansOf(() => jobs.counts('acme'))).toMatch(/COVERING INDEX job_space_idx \(space=\?\)/);
    const page = { limit: 50, offset: 0, space: 'acme' };
    for (const status of ['pending', undefined] as const) {
      const plans = await plansOf(() => jobs.list({ ...page, status }));
      expect(plans).toMatch(/COVERING INDEX job_space_idx \(space=\? AND status=\?\)/);
      expect(plans).not.toMatch(/SCAN job\b/);
    }
    const others = [
      () => jobs.throughput('acme'),
      () => jobs.idsIn('error', 'acme'),
      () => jobs.find('a', 'acme'),
      () => jobs.newestOfPath(parsePath('a.mp4'), 'acme'),
      () => jobs.newestOfVariant('a', 'acme'),
    ];
    for (const read of others) expect(await plansOf(read)).not.toMatch(/SCAN job\b/);
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

test('the first page of the API keys of a space sorts none', async () => {
  const plans = await plansOf(() => createKeyring({ database }).inSpace('acme').list({ limit: 10 }));
  expect(plans).toMatch(/api_key_space_idx/);
  expect(plans).not.toMatch(SORTS);
});

test('the item that was deleted last from a path is found by the path', async () => {
  const plans = await plansOf(() => catalog.trash.latestOf(parsePath('a.jpg')));
  expect(plans).toMatch(/trash_path_idx/);
  expect(plans).not.toMatch(SORTS);
});

test.each([
  ['deletedAt', /trash_deleted_idx/],
  ['path', /trash_path_idx/],
  ['size', /trash_size_idx/],
] as const)('the trash is listed by %s in the order of an index', async (by, index) => {
  const after = { id: 'x', value: by === 'path' ? 'a.jpg' : 1 };
  for (const direction of ['asc', 'desc'] as const) {
    const plans = await plansOf(() => catalog.trash.page(10, after, undefined, { by, direction }));
    expect(plans).toMatch(index);
  }
});

describe('a listing, however large its folder and the library,', () => {
  const page = { sort: 'name', order: 'asc', limit: 10 } as const;
  beforeEach(async () => {
    // Queries of the thread for readers would not be seen.
    catalog = createSqlCatalog({ db: database.db, reader: database.db });
    await catalog.files.put([entryOf(parsePath('a/b.jpg')), entryOf(parsePath('a/c.pdf'))]);
    // More files than are read and sorted.
    await database.db.updateTable('folder_usage').set({ fileCount: 1_000_000 }).execute();
  });

  test.each([
    ['kind', 'format'],
    ['dimensions', 'pixels'],
  ] as const)('by %s is read in the order of an index', async (sort, name) => {
    const after = {
      isFolder: false,
      path: parsePath('a/b.jpg'),
      size: 1,
      modifiedAt: 1,
      createdAt: 1,
      pixels: 1,
      id: 1,
    };
    for (const order of ['asc', 'desc'] as const) {
      for (const recursive of [false, true]) {
        const folder = parsePath(recursive ? '' : 'a');
        const plans = await plansOf(() => catalog.listing.page({ ...page, folder, recursive, sort, order, after }));
        expect(plans).toMatch(
          recursive
            ? new RegExp(`asset_all_${name}_idx \\(<expr>`)
            : new RegExp(`asset_${name}_idx \\(folderId=\\? AND <`),
        );
        expect(plans).not.toMatch(/SCAN asset\b/);
      }
    }
  });

  test('of files that cannot be decoded reads only these', async () => {
    const conditions = { isUndecodable: true };
    const reads = ['', 'a'].flatMap((path) => {
      const scope = { folder: parsePath(path), recursive: true };
      return [
        () => catalog.listing.page({ ...page, ...scope, conditions }),
        () => catalog.listing.total({ ...scope, conditions }),
        () => catalog.search.page({ ...page, ...scope, ...conditions }),
        () => catalog.search.total({ ...scope, ...conditions }, false, 100),
      ];
    });
    for (const read of reads) {
      const plans = await plansOf(read);
      expect(plans).toMatch(/asset_problem_idx/);
      expect(plans).not.toMatch(/SCAN asset(?! USING INDEX asset_problem_idx)/);
    }
  });
});

test('files to describe are claimed without reading the folders of the trash', async () => {
  await catalog.files.put([entryOf(parsePath('a.jpg'))]);
  const plans = await plansOf(() => catalog.descriptions.claim(1, 1000));
  expect(plans).toMatch(/SEARCH hidden USING INTEGER PRIMARY KEY/);
  expect(plans).not.toMatch(/LIST SUBQUERY/);
});

describe('in a folder, however large the library,', () => {
  const folder = parsePath('customers/acme');
  const request = { folder, recursive: true, sort: 'name', order: 'asc', limit: 10 } as const;
  const files: [string, () => Promise<unknown>][] = [
    ['tags are listed', () => catalog.tags.list(folder)],
    ['a tag is renamed', () => catalog.tags.rename('red', 'blue', folder)],
    ['a tag is removed', () => catalog.tags.remove('green', folder)],
    ['equal files are found', () => catalog.search.duplicates(10, undefined, folder)],
    ['similar images are found', () => catalog.search.similar(10, undefined, folder)],
    ['files are searched by name', () => catalog.search.page(request)],
    ['files are searched, the newest first', () => catalog.search.page({ ...request, sort: 'relevance' })],
    ['files are counted', () => catalog.search.total(request, false, 100)],
    ['files are counted by kind', () => catalog.search.facets(request, false)],
    ['a version is looked up', () => catalog.versions.exists('v', folder)],
  ];

  test.each(files)('%s by reading its files alone', async (_what, work) => {
    // Queries of the thread for readers would not be seen.
    catalog = createSqlCatalog({ db: database.db, reader: database.db });
    const facts = { sha256: 'a', perceptualHash: '0123456789abcdef', width: 1, height: 1 };
    const paths = ['customers/acme/a.jpg', 'customers/acme/b/c.jpg'].map(parsePath);
    const ids = await catalog.files.put(paths.map((path) => entryOf(path)));
    for (const id of ids) await catalog.descriptions.store(id, 'one', described(facts));
    await catalog.tags.change(paths, { add: ['red', 'green'] });
    const plans = await plansOf(work);
    expect(plans).toMatch(/SEARCH/);
    expect(plans).not.toMatch(/SCAN (asset|asset_tag|asset_version|folder|place|folder_usage)\b/);
    expect(plans).not.toMatch(/asset_(all|known)_\w+ \([^)]*>/);
  });

  test.each(['deletedAt', 'path', 'size'] as const)(
    'the trash is listed by %s by the paths of its items',
    async (by) => {
      const plans = await plansOf(() => catalog.trash.page(10, undefined, folder, { by, direction: 'desc' }));
      expect(plans).toMatch(/trash_path_idx \(path>\? AND path<\?\)/);
      expect(plans).not.toMatch(/SCAN trash\b|trash_(deleted|size)_idx/);
    },
  );
});

test('the bytes that count for a quota are summed without reading those of other folders', async () => {
  const plans = await plansOf(() => retainedBytes(database.db, parsePath('customers/acme')));
  expect(plans).not.toMatch(/SCAN (trash|folder|asset|asset_version)\b/);
});

describe('the audit log, however long it is,', () => {
  const log = createLog({ level: 'silent', format: 'json' });
  const audit = () => new AuditLog({ db: database.db, cluster: createLocalCluster(), log, keepMs: 1000 });
  const plansOfPage = (query: Partial<AuditQuery>) => plansOf(() => audit().page({ space: '', limit: 10, ...query }));
  const position = { at: new Date(0).toISOString(), id: 1 };

  test.each<[Partial<AuditQuery>, string]>([
    [{}, 'audit_space_idx'],
    [{ after: position }, 'audit_space_idx'],
    [{ from: new Date(0), to: new Date(1) }, 'audit_space_idx'],
    [{ actions: ['key.created'] }, 'audit_action_idx'],
    [{ actions: ['key.created', 'key.deleted'], after: position }, 'audit_action_idx'],
    [{ actor: 'a', from: new Date(0) }, 'audit_actor_idx'],
    [{ target: 't', after: position }, 'audit_target_idx'],
  ])('is read by %j in the order of an index', async (query, index) => {
    const plans = await plansOfPage(query);
    expect(plans).toContain(`SEARCH audit USING INDEX ${index}`);
    expect(plans).not.toMatch(SORTS);
  });

  test.each<[Partial<AuditQuery>, string]>([
    [{}, 'audit_at_idx'],
    [{ after: position }, 'audit_at_idx'],
    [{ from: new Date(0), to: new Date(1) }, 'audit_at_idx'],
    [{ actions: ['key.created', 'key.deleted'], after: position }, 'audit_any_action_idx'],
    [{ actor: 'a', from: new Date(0) }, 'audit_any_actor_idx'],
    [{ target: 't', after: position }, 'audit_any_target_idx'],
  ])('is read of all spaces by %j in the order of an index', async (query, index) => {
    const plans = await plansOfPage({ ...query, space: undefined });
    expect(plans).toMatch(new RegExp(`(SEARCH|SCAN) audit USING INDEX ${index}\\b`));
    expect(plans).not.toMatch(SORTS);
  });

  test('finds old entries without reading the others', async () => {
    const plans = await plansOf(() => audit().sweep());
    expect(plans).toMatch(/audit_at_idx \(at<\?\)/);
    expect(plans).not.toMatch(/SCAN audit\b/);
  });
});
