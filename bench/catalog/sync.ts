import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CatalogKeeper } from '../../src/catalog/catalog-keeper.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { createLocalCluster } from '../../src/cluster/local.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createListing, type Listing } from '../../src/library/listing.ts';
import { createLog } from '../../src/log.ts';
import { parsePath } from '../../src/path.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import { inParallel } from '../../src/storage/in-parallel.ts';

const execute = promisify(execFile);
const MEBIBYTE = 1024 ** 2;
const ROUNDS = 3;
const UPLOADS = 300;
const PER_FOLDER = 100;
/** What has changed just now may change again unseen. */
const WRITTEN_MS = 100;

/** Keeping the catalog right on a disk with SQLite, beside `find` and beside the store alone. `--files=1000000` for more. */
export async function measureSync(quick: boolean): Promise<string[]> {
  const given = process.argv.find((argument) => argument.startsWith('--files='))?.slice('--files='.length);
  const files = Number(given ?? (quick ? 10_000 : 100_000));
  const folder = await mkdtemp(join(tmpdir(), 'bench-catalog-'));
  const root = join(folder, 'originals');
  const database = await openDatabase({ file: join(folder, 'darkroom.db') });
  try {
    await fill(root, files);
    const store = await createDiskStore({ root, temp: join(folder, 'tmp'), moves: join(folder, 'moves') });
    const log = createLog({ level: 'silent', format: 'json' });
    const cluster = createLocalCluster();
    const catalog = new CatalogKeeper({ database, rows: createSqlCatalog(database), store, cluster, log, scanMs: 0 });
    const lines = [`${files} files, ${PER_FOLDER} to a folder, and as many in one folder; SQLite.`, ''];
    lines.push(...(await measureReconciliation(catalog, root)));
    lines.push(
      ...(await measurePage(createListing({ store, sync: catalog }), createListing({ store, sync: walking(catalog) }))),
    );
    const writes = catalog.changes();
    const write = (to: Pick<typeof store, 'write'>, name: string) => to.write(parsePath(`new/${name}`), chunks());
    const [alone, both]: [number[], number[]] = [[], []];
    for (let n = 0; n < UPLOADS; n++) {
      alone.push(await timed(() => write(store, `alone-${n}`)));
      both.push(await timed(() => write(writes, `both-${n}`)));
    }
    lines.push(
      `| storing a file of 100 KB, beside the store alone | ${median(both).toFixed(2)} ms | ${ratio(both, alone)} |`,
      '',
    );
    await catalog.close();
    return lines;
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
}

async function measureReconciliation(catalog: CatalogKeeper, root: string): Promise<string[]> {
  const first = await timed(() => catalog.reconciliation.run());
  await setTimeout(WRITTEN_MS);
  const second = await timed(() => catalog.reconciliation.run());
  const [found, compared]: [number[], number[]] = [[], []];
  const stalls = monitorEventLoopDelay({ resolution: 1 });
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
  for (let round = 0; round < ROUNDS; round++) {
    found.push(await timed(() => execute('find', [root, '-printf', '%s %T@ %i\n'], { maxBuffer: 2 ** 30 })));
    stalls.enable();
    compared.push(await timed(() => catalog.reconciliation.run()));
    stalls.disable();
  }
  clearInterval(watch);
  return [
    '| work | time | ratio |',
    '|---|---|---|',
    `| first index | ${(first / 1000).toFixed(1)} s | |`,
    `| comparing every row, once after rows have changed, beside \`find\` | ${(second / 1000).toFixed(2)} s | ${ratio([second], found)} |`,
    `| comparing everything, unchanged, beside \`find\` | ${(median(compared) / 1000).toFixed(2)} s | ${ratio(compared, found)} |`,
    `| memory while comparing | ${((peak - before) / MEBIBYTE).toFixed(0)} MB more | |`,
    `| longest stall of the event loop while comparing | ${(stalls.max / 1e6).toFixed(0)} ms | |`,
  ];
}

async function measurePage(listing: Listing, walking: Listing): Promise<string[]> {
  const lines: string[] = [];
  for (const sort of ['name', 'size', 'mtime'] as const) {
    const request = { path: parsePath('large'), limit: 100, sort, order: 'desc' } as const;
    await listing.list(request);
    const [rows, walks]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      rows.push(await timed(() => listing.list(request)));
      walks.push(await timed(() => walking.list(request)));
    }
    const what = `first page of 100 of the large folder by ${sort}, beside reading it`;
    lines.push(`| ${what} | ${median(rows).toFixed(1)} ms | ${ratio(rows, walks)} |`);
  }
  return lines;
}

const walking = (catalog: CatalogKeeper): Pick<CatalogKeeper, 'rows' | 'freshen' | 'isHidden'> => ({
  rows: catalog.rows,
  freshen: async () => 'store',
  isHidden: () => false,
});

async function fill(root: string, files: number): Promise<void> {
  await mkdir(join(root, 'large'), { recursive: true });
  const folders = Array.from({ length: Math.ceil(files / PER_FOLDER) }, (_, n) => `f${n % 100}/g${n}`);
  await inParallel(folders, 8, async (folder) => {
    await mkdir(join(root, folder), { recursive: true });
    for (let n = 0; n < PER_FOLDER; n++) await writeFile(join(root, folder, `${n}.jpg`), 'x'.repeat(n));
  });
  const names = Array.from({ length: files }, (_, n) => `${n}.jpg`);
  await inParallel(names, 32, (name) => writeFile(join(root, 'large', name), name));
}

async function* chunks(): AsyncGenerator<Buffer> {
  yield Buffer.alloc(100_000);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const ratio = (one: readonly number[], other: readonly number[]) => (median(one) / median(other)).toFixed(3);
