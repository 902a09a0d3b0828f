import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { CatalogService } from '../../src/catalog/catalog-service.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { createLocalCluster } from '../../src/cluster/local.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createListing } from '../../src/library/listing.ts';
import { createLog } from '../../src/log.ts';
import { parsePath } from '../../src/path.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import { inParallel } from '../../src/storage/in-parallel.ts';
import { alternate, median, ratios, spread, table, timed, verdict, whole } from '../tools/report.ts';

const MEBIBYTE = 1024 ** 2;
const ROUNDS = 3;
const PER_FOLDER = 100;
/** A folder changed less than this ago may change again with the same timestamp. */
const WRITTEN_MS = 100;

/** Measures reconciliation on a disk with SQLite, next to `find`. */
export async function measureSync(quick: boolean): Promise<string[]> {
  const few = quick ? 10_000 : 100_000;
  const many = quick ? 20_000 : 1_000_000;
  const measured = await withLibrary({ inFolders: few, inOne: few }, async ({ catalog, store, root }) => [
    await measureReconciliation(catalog, root),
    await measurePages(catalog, store),
  ]);
  const large = await withLibrary({ inFolders: many, inOne: 0 }, async ({ catalog, root }) => [
    await measureReconciliation(catalog, root),
  ]);
  return [
    '### Reconciliation',
    '',
    `${whole(few)} files, ${PER_FOLDER} to a folder, and as many in one folder; on a disk with SQLite. Medians.`,
    '',
    ...report(measured),
    '',
    `${whole(many)} files, ${PER_FOLDER} to a folder.`,
    '',
    ...report(large),
  ];
}

function report(parts: readonly Part[]): string[] {
  const rows = parts.flatMap((part) => part.rows);
  return [table(['comparison or page', 'ms', 'in ratio to'], rows), '', ...parts.flatMap(({ verdicts }) => verdicts)];
}

interface Library {
  root: string;
  store: BlobStore;
  catalog: CatalogService;
}

/** Creates a folder with files, and an empty catalog. */
async function withLibrary<T>(files: { inFolders: number; inOne: number }, use: (library: Library) => Promise<T>) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-catalog-'));
  const root = join(folder, 'originals');
  const database = await openDatabase({ file: join(folder, 'darkroom.db') });
  try {
    await fill(root, files);
    const store = await createDiskStore({ root, temp: join(folder, 'tmp') });
    const log = createLog({ level: 'silent', format: 'json' });
    const cluster = createLocalCluster();
    const catalog = new CatalogService({ database, rows: createSqlCatalog(database), store, cluster, log, scanMs: 0 });
    const result = await use({ root, store, catalog });
    await catalog.close();
    return result;
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
}

/** Rows of the table with their targets. */
interface Part {
  rows: string[][];
  verdicts: string[];
}

async function measureReconciliation(catalog: CatalogService, root: string): Promise<Part> {
  const compare = () => catalog.reconciliation.run();
  const first = await timed(compare);
  await setTimeout(WRITTEN_MS);
  const second = await timed(compare);
  let stall = 0;
  let grown = 0;
  const { find, unchanged } = await alternate(
    {
      find: () => timed(() => once(spawn('find', [root, '-printf', '%s %T@ %i\n'], { stdio: 'ignore' }), 'close')),
      async unchanged() {
        const before = process.memoryUsage.rss();
        const watch = setInterval(() => (grown = Math.max(grown, process.memoryUsage.rss() - before)), 20);
        // A monitor that is enabled again would report the pause as a stall.
        const stalls = monitorEventLoopDelay({ resolution: 1 });
        stalls.enable();
        const ms = await timed(compare);
        stalls.disable();
        stall = Math.max(stall, stalls.max / 1e6);
        clearInterval(watch);
        return ms;
      },
    },
    ROUNDS,
  );
  const toFind = ratios(unchanged, find);
  return {
    rows: [
      ['first index', first.toFixed(0), ''],
      ['every row, once after rows have changed', second.toFixed(0), `find ${(second / median(find)).toFixed(2)}`],
      ['everything, unchanged', median(unchanged).toFixed(0), `find ${spread(toFind)}`],
    ],
    verdicts: [
      verdict('everything unchanged in ratio to find', median(toFind), 'at most', 1.3),
      verdict('longest stall of the event loop during it', stall, 'at most', 20, ' ms'),
      `- Memory during it: ${(grown / MEBIBYTE).toFixed(0)} MB more.`,
    ],
  };
}

async function measurePages(catalog: CatalogService, store: BlobStore): Promise<Part> {
  const listing = createListing({ store, sync: catalog });
  const walking = createListing({ store, sync: withoutRows(catalog) });
  const part: Part = { rows: [], verdicts: [] };
  for (const sort of ['name', 'size', 'mtime'] as const) {
    const request = { path: parsePath('large'), limit: 100, sort, order: 'desc' } as const;
    await listing.list(request);
    const contestants = {
      rows: () => timed(() => listing.list(request)),
      walk: () => timed(() => walking.list(request)),
    };
    const { rows, walk } = await alternate(contestants, ROUNDS);
    const toWalk = ratios(rows, walk);
    const what = `first page of 100 of the large folder by ${sort}`;
    part.rows.push([what, median(rows).toFixed(1), `a walk ${spread(toWalk, 4)}`]);
    part.verdicts.push(verdict(`${what} in ratio to a walk`, median(toWalk), 'at most', 0.02));
  }
  return part;
}

/** State before the first index is complete: listings read the store. */
const withoutRows = (catalog: CatalogService): Pick<CatalogService, 'rows' | 'revalidate'> => ({
  rows: catalog.rows,
  revalidate: async () => 'store',
});

async function fill(root: string, { inFolders, inOne }: { inFolders: number; inOne: number }): Promise<void> {
  const folders = Array.from({ length: Math.ceil(inFolders / PER_FOLDER) }, (_, n) => `f${n % 100}/g${n}`);
  await inParallel(folders, 8, async (folder) => {
    await mkdir(join(root, folder), { recursive: true });
    for (let n = 0; n < PER_FOLDER; n++) await writeFile(join(root, folder, `${n}.jpg`), 'x'.repeat(n));
  });
  if (inOne === 0) return;
  await mkdir(join(root, 'large'), { recursive: true });
  const names = Array.from({ length: inOne }, (_, n) => `${n}.jpg`);
  await inParallel(names, 32, (name) => writeFile(join(root, 'large', name), name));
}
