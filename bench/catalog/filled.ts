import { sql } from 'kysely';
import { Client } from 'pg';
import type { CatalogStore } from '../../src/catalog/catalog-store.ts';
import type { FileEntry } from '../../src/catalog/records.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { parsePath } from '../../src/path.ts';

/** Catalog with many files. */
export interface FilledCatalog {
  database: OpenDatabase;
  catalog: CatalogStore;
  files: number;
  /** Number of small folders. */
  folders: number;
  /** Duration of filling in seconds. */
  seconds: number;
}

/** The large folder. All others have 100 files. */
export const LARGE = parsePath('large');
const FILES_OF_A_FOLDER = 100;
const BATCH = 2000;
const VOCABULARY = 4000;
const SYLLABLES = 'ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu'.split(
  ' ',
);

/** The n-th word, of four syllables. */
export function word(n: number): string {
  const at = (power: number) => SYLLABLES[Math.floor(n / SYLLABLES.length ** power) % SYLLABLES.length] ?? '';
  return `${at(0)}${at(1)}${at(2)}${at(0)}`;
}

export const smallFolder = (n: number) => parsePath(`library/${n % 100}/${n}`);

/** Fills a new catalog: `large` files in one folder, the others in folders of 100. About 2,000 have metadata. */
export async function fill(
  where: { file: string; url?: string },
  files: number,
  large: number,
): Promise<FilledCatalog> {
  const database = await openDatabase(where);
  const catalog = createSqlCatalog(database);
  const start = performance.now();
  for (let first = 0; first < files; first += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, files - first) }, (_, index) => entry(first + index, large));
    await catalog.files.put(batch);
  }
  const seconds = (performance.now() - start) / 1000;
  for (let id = 5; id <= files; id += Math.ceil(files / 2000)) await addMetadata(catalog, entry(id, large).path, id);
  await describeAll(database, where.url);
  return { database, catalog, files, folders: Math.ceil((files - large) / FILES_OF_A_FOLDER), seconds };
}

/** Returns the two terms in the name of a file. */
export function wordsOf(n: number): [string, string] {
  return [word((n * 7919) % VOCABULARY), word((n * 104_729) % VOCABULARY)];
}

function entry(n: number, large: number): FileEntry {
  const folder = n < large ? LARGE : smallFolder(Math.floor((n - large) / FILES_OF_A_FOLDER));
  const [first, second] = wordsOf(n);
  const modifiedAt = new Date(1_700_000_000_000 + ((n * 48_271) % 1e9));
  return {
    path: parsePath(`${folder}/${first}-${second}-${n}.jpg`),
    size: 1000 + ((n * 6_364_136) % 9_000_000),
    etag: `etag-${n.toString(36).padStart(17, '0')}`,
    createdAt: modifiedAt,
    modifiedAt,
    fileId: `64768:${10_000_000 + n}`,
  };
}

/** Describes all files in one statement, on PostgreSQL without triggers: describing is not measured. */
async function describeAll({ db, dialect }: OpenDatabase, url = ''): Promise<void> {
  const update = db.updateTable('asset').set({
    describedEtag: sql`etag`,
    codec: sql.lit('jpeg'),
    camera: sql.lit('Maker Camera 5'),
    dominantColour: sql.lit('#336699'),
    palette: sql.lit('["#336699","#a0b0c0","#112233","#ddeeff","#808080"]'),
    placeholder: sql.lit('1QcSHQRnh493V4dIh4eXh1h4kJUI'),
    width: sql`1000 + id % 5000`,
    height: sql`1000 + id % 3000`,
    takenAt: sql`"modifiedAt"`,
    hasAlpha: sql.lit(0),
    hasGps: sql.lit(0),
  });
  if (dialect === 'sqlite') {
    await update.execute();
    await sql`analyze`.execute(db);
    return;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  await client.query(update.compile().sql);
  await client.query('vacuum full analyze');
  await client.end();
}

async function addMetadata(catalog: CatalogStore, path: FileEntry['path'], n: number): Promise<void> {
  await catalog.words.patch(path, {
    title: `${word(n % VOCABULARY)} in the evening`,
    alt: `A photo of ${word((n * 31) % VOCABULARY)} next to ${word((n * 17) % VOCABULARY)}`,
    tags: [word(n % 50), word((n * 3) % 200)],
  });
}
