import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from 'kysely';
import { parsePath } from '../../src/path.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import { createDatabase } from '../../test/postgres/create.ts';
import { PostgresServer } from '../../test/postgres/server.ts';
import { median, table, verdict, whole } from '../tools/report.ts';
import { type FilledCatalog, fill, LARGE, smallFolder, word, wordsOf } from './filled.ts';

const PAGE = 100;
const SORTS = ['name', 'kind', 'dimensions', 'size', 'mtime'] as const;
/** Number of files of the two catalogs. */
const SIZES = { full: [100_000, 1_000_000], quick: [5000, 20_000] };
const REPEATS = { full: 60, quick: 5 };

/** PostgreSQL's manual recommends a quarter of the memory. The tests' buffers hold a thirtieth of this database. */
const BUFFERS = '1GB';

type Query = (catalog: FilledCatalog, round: number) => Promise<unknown>;

/** Measured queries by name. */
const QUERIES: Readonly<Record<string, Query>> = {
  ...Object.fromEntries(
    SORTS.map((sort) => [`first page of the large folder, by ${sort}`, ({ catalog }) => page(catalog, LARGE, sort)]),
  ),
  'first page of a small folder': ({ catalog, folders }, round) =>
    page(catalog, smallFolder((round * 13) % folders), 'name'),
  'a page in the middle of the large folder': ({ catalog }, round) =>
    catalog.listing.page({
      folder: LARGE,
      sort: 'name',
      order: 'asc',
      limit: PAGE,
      after: {
        isFolder: false,
        path: parsePath(`large/${word(round * 7)}`),
        size: 0,
        modifiedAt: 0,
        createdAt: 0,
        pixels: 0,
        id: 0,
      },
    }),
  'version and total of the large folder': ({ catalog }) =>
    Promise.all([catalog.listing.version(LARGE), catalog.listing.total({ folder: LARGE })]),
  'lookup by name prefix': (filled, round) => byPrefix(filled, word((round * 11) % 4000)),
  'search for a word': ({ catalog }, round) => search(catalog, word((round * 11) % 4000)),
  'search for two words': ({ catalog }, round) => search(catalog, wordsOf(round * 37).join(' ')),
  'search for a prefix of many words': ({ catalog }) => search(catalog, 'ba'),
  'search for a misspelt word': ({ catalog }, round) => search(catalog, `${word((round * 11) % 4000)}zz`),
  'search of paths for a part of a name': ({ catalog }, round) =>
    searchPaths(catalog, partOf(word((round * 11) % 4000))),
  'search of paths for a name, by its number': ({ catalog, files }, round) =>
    searchPaths(catalog, String(files - 1 - round * 7)),
  'search of paths for a folder and a word': ({ catalog, folders }, round) =>
    searchPaths(catalog, `${(round * 13) % folders} ${partOf(word(round))}`),
  'search of paths for what all names have': ({ catalog }) => searchPaths(catalog, 'jpg'),
  'search of paths for two letters': ({ catalog }) => searchPaths(catalog, 'ba'),
  'total of what all names have': ({ catalog }) =>
    catalog.listing.total({ folder: parsePath(''), recursive: true, search: 'jpg' }),
  'the former search of paths: all names compared': (filled, round) =>
    compareAll(filled, partOf(word((round * 11) % 4000))),
  'usage of the library': ({ catalog }) => catalog.usage.below(parsePath('')),
};

/** Measures queries of catalogs of two sizes on both databases, next to the directory walk that they replace. */
export async function measureReads(quick: boolean): Promise<string[]> {
  const postgres = await PostgresServer.start({ buffers: BUFFERS });
  const temp = await mkdtemp(join(tmpdir(), 'catalog-bench-'));
  const [small = 0, large = 0] = quick ? SIZES.quick : SIZES.full;
  const repeats = quick ? REPEATS.quick : REPEATS.full;
  const inLargeFolder = Math.floor(small / 2);
  try {
    const walkMs = await measureWalk(temp, inLargeFolder, quick ? 2 : 5);
    const lines = [
      `Catalogs of ${whole(small)} and ${whole(large)} described files, ${whole(inLargeFolder)} of them in one folder and the others in folders of 100.`,
      `Medians of ${repeats} in ms, and the longest stall of the event loop. Reading and sorting the large folder without the catalog: ${walkMs.toFixed(0)} ms.`,
    ];
    for (const dialect of ['sqlite', 'postgres'] as const) {
      const where = async (name: string) =>
        dialect === 'sqlite'
          ? { file: join(temp, `${name}.db`) }
          : { file: '', url: await createDatabase(postgres.url('postgres')) };
      const smaller = await measureCatalog(await fill(await where('small'), small, inLargeFolder), repeats);
      const larger = await measureCatalog(await fill(await where('large'), large, inLargeFolder), repeats);
      lines.push('', ...report(dialect, smaller, larger, walkMs));
    }
    return lines;
  } finally {
    await postgres.stop();
    await rm(temp, { recursive: true, force: true });
  }
}

function page(catalog: FilledCatalog['catalog'], folder: typeof LARGE, sort: (typeof SORTS)[number]) {
  return catalog.listing.page({ folder, sort, order: 'asc', limit: PAGE });
}

function search(catalog: FilledCatalog['catalog'], text: string) {
  return catalog.search.page({ text, sort: 'relevance', order: 'desc', limit: PAGE });
}

/** First page and total, as `GET /storage?recursive=true&search=` reads them. */
function searchPaths({ listing }: FilledCatalog['catalog'], search: string) {
  const scope = { folder: parsePath(''), recursive: true, search };
  return Promise.all([listing.page({ ...scope, sort: 'name', order: 'asc', limit: PAGE }), listing.total(scope)]);
}

/** The middle of a word, without its first and last letter. */
const partOf = (text: string) => text.slice(1, -1);

/** Search before the index of names: first page and total of names that contain a text. */
function compareAll({ database: { reader, dialect } }: FilledCatalog, text: string) {
  const has =
    dialect === 'sqlite' ? sql<boolean>`instr(folded, ${text}) > 0` : sql<boolean>`strpos(folded, ${text}) > 0`;
  const rows = reader.selectFrom('asset').where(has);
  return Promise.all([
    rows.selectAll().orderBy('nameKey').orderBy('id').limit(PAGE).execute(),
    rows.select(({ fn }) => fn.countAll<number>().as('count')).execute(),
  ]);
}

/** Baseline for search: files by name prefix, in the order of the index. */
function byPrefix({ database: { reader } }: FilledCatalog, prefix: string) {
  const from = Buffer.from(prefix);
  const to = Buffer.from(`${prefix}\xff`, 'latin1');
  return reader
    .selectFrom('asset')
    .innerJoin('folder', 'folder.id', 'asset.folderId')
    .selectAll('asset')
    .select('folder.path')
    .where('asset.nameKey', '>=', from)
    .where('asset.nameKey', '<', to)
    .orderBy('asset.nameKey')
    .orderBy('asset.id')
    .limit(PAGE)
    .execute();
}

async function measureWalk(temp: string, files: number, rounds: number): Promise<number> {
  const root = join(temp, 'originals');
  await mkdir(join(root, 'large'), { recursive: true });
  for (let n = 0; n < files; n++) await writeFile(join(root, 'large', `${word(n % 4000)}-${n}.jpg`), '');
  const store = await createDiskStore({ root, temp: join(temp, 'tmp') });
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const { files: found } = await store.list(parsePath('large'));
    found.toSorted((one, other) => one.size - other.size || (one.path < other.path ? -1 : 1)).slice(0, PAGE);
    times.push(performance.now() - start);
  }
  return median(times);
}

interface MeasuredCatalog {
  files: number;
  rowsPerSecond: number;
  bytesPerFile: number;
  times: Record<string, { ms: number; stallMs: number }>;
}

async function measureCatalog(filled: FilledCatalog, repeats: number): Promise<MeasuredCatalog> {
  const { database, files, seconds } = filled;
  const times: MeasuredCatalog['times'] = {};
  for (const [name, query] of Object.entries(QUERIES)) {
    for (let round = 0; round < 3; round++) await query(filled, round);
    const stalls = monitorEventLoopDelay({ resolution: 1 });
    const taken: number[] = [];
    stalls.enable();
    for (let round = 0; round < repeats; round++) {
      const start = performance.now();
      await query(filled, 3 + round);
      taken.push(performance.now() - start);
    }
    stalls.disable();
    times[name] = { ms: median(taken), stallMs: stalls.max / 1e6 };
  }
  const bytes = await sizeOf(filled);
  await database.close();
  return { files, rowsPerSecond: files / seconds, bytesPerFile: bytes / files, times };
}

async function sizeOf({ database }: FilledCatalog): Promise<number> {
  if (database.dialect === 'sqlite') return (await stat(database.location)).size;
  const { rows } = await sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`.execute(
    database.db,
  );
  return Number(rows[0]?.bytes);
}

function report(
  dialect: 'sqlite' | 'postgres',
  smaller: MeasuredCatalog,
  larger: MeasuredCatalog,
  walkMs: number,
): string[] {
  const shown = ({ times }: MeasuredCatalog, name: string) => {
    const { ms = 0, stallMs = 0 } = times[name] ?? {};
    return [ms.toFixed(ms < 10 ? 2 : 0), stallMs.toFixed(0)];
  };
  const msOf = ({ times }: MeasuredCatalog, name: string) => times[name]?.ms ?? Number.NaN;
  const head = ['query', whole(smaller.files), 'stall', whole(larger.files), 'stall', 'ratio'];
  const rows = Object.keys(QUERIES).map((name) => [
    name,
    ...shown(smaller, name),
    ...shown(larger, name),
    (msOf(larger, name) / msOf(smaller, name)).toFixed(2),
  ]);
  const firstPage = Math.max(...SORTS.map((sort) => msOf(larger, `first page of the large folder, by ${sort}`)));
  const pages = Object.keys(QUERIES).filter((name) => name.includes('page'));
  const slowdown = Math.max(...pages.map((name) => msOf(larger, name) / msOf(smaller, name)));
  const stall = Math.max(...Object.values(larger.times).map(({ stallMs }) => stallMs));
  return [
    `On ${dialect === 'sqlite' ? 'SQLite' : `PostgreSQL (shared_buffers of ${BUFFERS})`}: ${whole(larger.rowsPerSecond)} rows per second while the larger catalog was filled.`,
    '',
    table(head, rows),
    '',
    verdict('slowest first page in ratio to the walk', firstPage / walkMs, 'at most', 0.02),
    verdict('slowest page of the larger catalog in ratio to the smaller', slowdown, 'at most', 1.5),
    verdict(
      'search for a word in ratio to the prefix lookup',
      msOf(larger, 'search for a word') / msOf(larger, 'lookup by name prefix'),
      'at most',
      3,
    ),
    verdict('longest stall', stall, 'at most', 20, ' ms'),
    verdict('bytes per file', Math.round(larger.bytesPerFile), 'at most', 1536),
  ];
}
