import { type Kysely, sql } from 'kysely';
import { within, yieldToEventLoop } from '../../concurrency.ts';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { comparable, tokensOf, trigramsOf } from '../tokens.ts';
import { preparedQuery } from './prepared-query.ts';
import { hasSpaces, hasSpaceTerms, type SpaceFolder, spacesOf, termOf } from './space-terms.ts';
import { inChunks, step } from './step.ts';

interface Searchable {
  id: number;
  /** Terms with the higher rank: of name, title and tags. */
  strong: string[];
  /** Terms of the alt text and description. */
  weak: string[];
}

/** Indexes the current terms of assets. Must be called in the transaction that changes them. */
export async function writeWords(db: Kysely<Schema>, ids: readonly number[]): Promise<void> {
  for (const some of inChunks(ids)) await write(db, await readWords(db, some));
}

/** Indexes new assets, of which only the name is known. See `writeWords`. */
export async function writeNames(db: Kysely<Schema>, assets: readonly { id: number; name: string }[]): Promise<void> {
  if (hasSpaceTerms(db) && (await hasSpaces(db))) {
    const ids = assets.map(({ id }) => id);
    await writeWords(db, ids);
    return;
  }
  await write(
    db,
    assets.map(({ id, name }) => ({ id, strong: tokensOf(name), weak: [] })),
  );
}

async function write(db: Kysely<Schema>, rows: readonly Searchable[]): Promise<void> {
  await (isPostgres(db) ? writeOnPostgres : writeOnSqlite)(db, rows);
  await writeTrigrams(db, comparable([...new Set(rows.flatMap(({ strong, weak }) => [...strong, ...weak]))]));
}

/** Limit of assets indexed per step on SQLite, which blocks the event loop for a few milliseconds. */
const STEP = 50;
/** Limit of assets that a search indexes. */
const MAX_BEFORE_SEARCH = 20 * STEP;
/** Limit of the time that a search waits for it, in ms: another change may hold the database for longer. */
const MAX_WAIT_MS = 500;

/**
 * True for a database that may index new files later: a transaction of SQLite's full-text index takes a third of the
 * time of an upload's rows, and hardly more for fifty files.
 */
export function canIndexLater(db: Kysely<Schema>): boolean {
  return !isPostgres(db);
}

/**
 * Indexes the files that wait for it, so that a search finds them. Without them it finds the others.
 * @param reader a connection that waits for no change
 */
export async function indexBeforeSearch(reader: Kysely<Schema>, db: Kysely<Schema>): Promise<void> {
  if (!canIndexLater(db) || !(await areSomeMissing(reader))) return;
  // The database may be read-only or full, or another process holds it.
  await within(indexSome(db), MAX_WAIT_MS).catch(() => undefined);
}

async function indexSome(db: Kysely<Schema>): Promise<void> {
  for (let limit = MAX_BEFORE_SEARCH; limit > 0; limit -= STEP) {
    const made = await step(db, (transaction) => writeMissingWords(transaction, STEP));
    if (made < STEP) return;
    await yieldToEventLoop();
  }
}

const MISSING = preparedQuery<{ limit: number }, { id: number }>((db, placeholder) =>
  db
    .selectFrom('asset')
    .select('id')
    .where('searchable', '=', sql.lit(0))
    .orderBy('id', 'desc')
    .limit(placeholder('limit'))
    .compile(),
);

/** True if assets wait to be indexed. */
export async function areSomeMissing(db: Kysely<Schema>): Promise<boolean> {
  return (await MISSING(db, { limit: 1 })).rows.length > 0;
}

/**
 * Indexes assets that are not searchable yet, the newest first: new files on SQLite, and those of a copied database,
 * which has only their rows.
 * @returns the number of assets indexed; fewer than `limit` when none is left
 */
export async function writeMissingWords(db: Kysely<Schema>, limit: number): Promise<number> {
  const { rows } = await MISSING(db, { limit });
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await writeWords(db, ids);
  await db.updateTable('asset').set({ searchable: 1 }).where('id', 'in', ids).execute();
  return ids.length;
}

async function readWords(db: Kysely<Schema>, ids: readonly number[]): Promise<Searchable[]> {
  const rows = await db
    .selectFrom('asset')
    .innerJoin('folder', 'folder.id', 'asset.folderId')
    .select(['asset.id', 'name', 'title', 'alt', 'description', 'asset.revision', 'folder.path as folder'])
    .where('asset.id', 'in', ids)
    .orderBy('asset.id')
    .execute();
  const worded = rows.filter(({ revision }) => revision > 0).map(({ id }) => id);
  const tags =
    worded.length === 0 ? [] : await db.selectFrom('asset_tag').selectAll().where('assetId', 'in', worded).execute();
  const tagsOf = Map.groupBy(tags, ({ assetId }) => assetId);
  const folders = rows.map(({ folder }) => folder);
  const spaces = hasSpaceTerms(db) ? await spacesOf(db, folders) : new Map<string, SpaceFolder>();
  return rows.map(({ id, name, title, alt, description, folder }) => {
    const space = spaces.get(folder);
    const strong = tokensOf([name, title ?? '', ...(tagsOf.get(id) ?? []).map(({ tag }) => tag)].join(' '));
    if (space) strong.push(termOf(space.id));
    const weak = alt || description ? tokensOf(`${alt ?? ''} ${description ?? ''}`) : [];
    return { id, strong, weak: weak.filter((token) => !strong.includes(token)) };
  });
}

const WRITE_ON_SQLITE = preparedQuery<{ id: number; strong: string; weak: string }>((db, placeholder) =>
  sql`
    insert or replace into asset_words (rowid, strong, weak) values (${placeholder('id')}, ${placeholder('strong')}, ${placeholder('weak')})
  `.compile(db),
);

async function writeOnSqlite(db: Kysely<Schema>, rows: readonly Searchable[]): Promise<void> {
  for (const { id, strong, weak } of rows)
    await WRITE_ON_SQLITE(db, { id, strong: strong.join(' '), weak: weak.join(' ') });
}

async function writeOnPostgres(db: Kysely<Schema>, rows: readonly Searchable[]): Promise<void> {
  const weighted = (words: readonly string[], weight: string) => words.map((word) => `'${word}':1${weight}`);
  const values = rows.map(({ id, strong, weak }) => {
    const words = [...weighted(strong, 'A'), ...weighted(weak, 'D')].join(' ');
    return sql`(cast(${id} as bigint), cast(${words} as tsvector))`;
  });
  if (values.length === 0) return;
  await sql`
    insert into asset_words ("assetId", words) values ${sql.join(values)}
    on conflict ("assetId") do update set words = excluded.words
  `.execute(db);
}

/** Empty trigram, which marks a word as known. */
const KNOWN = '';
const KNOWN_WORDS = preparedQuery<{ words: string | readonly string[] }, { word: string }>((db, placeholder) =>
  db
    .selectFrom('word_trigram')
    .select('word')
    .where('trigram', '=', KNOWN)
    .where(isPostgres(db) ? isAmongArray(placeholder('words')) : isAmongJson(placeholder('words')))
    .compile(),
);
const isAmongArray = (words: unknown) => sql<boolean>`word = any(cast(${words} as text[]))`;
const isAmongJson = (words: unknown) => sql<boolean>`word in (select value from json_each(${words}))`;

async function writeTrigrams(db: Kysely<Schema>, words: readonly string[]): Promise<void> {
  for (const some of inChunks(words)) {
    const found = await KNOWN_WORDS(db, { words: isPostgres(db) ? some : JSON.stringify(some) });
    const known = new Set(found.rows.map(({ word }) => word));
    // The same order on all nodes avoids deadlocks.
    const unknown = some.filter((word) => !known.has(word)).sort();
    const rows = unknown.flatMap((word) => [KNOWN, ...trigramsOf(word)].map((trigram) => ({ trigram, word })));
    for (const part of inChunks(rows, 1000))
      await db
        .insertInto('word_trigram')
        .values(part)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  }
}
