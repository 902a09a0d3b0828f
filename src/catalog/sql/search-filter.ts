import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { labOfHex } from '../../lab.ts';
import type { AssetConditions, AssetFilter, Range } from '../catalog-search.ts';
import { searchedTokens, similarity, trigramsOf } from '../tokens.ts';
import { isInShownFolder, within } from './in-folder.ts';

/** Maximum distance in Lab at which a colour matches. */
const NEAR_COLOUR = 20;

/** Minimum similarity of a near match, 0 to 1. */
const ALIKE = 0.3;
/** Limit of near matches that are searched for one word. */
const MAX_ALIKE = 8;
/** Limit of indexed words whose similarity to one word is computed. */
const MAX_CANDIDATES = 200;

/** Searched terms: each must match, in one of its spellings. */
export type SearchTerms = readonly { spellings: readonly string[]; isPrefix: boolean }[];

/** Returns the terms of a text that must match exactly, or, for near matches, the similar indexed ones. */
export async function searchTerms(db: Kysely<Schema>, text: string | undefined, isNear: boolean): Promise<SearchTerms> {
  if (!isNear) return exactTerms(text ?? '');
  const words = searchedTokens(text ?? '');
  const terms: { spellings: string[]; isPrefix: boolean }[] = [];
  for (const [at, word] of words.entries())
    terms.push({ spellings: [word, ...(await wordsLike(db, word))], isPrefix: at === words.length - 1 });
  return terms;
}

function exactTerms(text: string): SearchTerms {
  const words = searchedTokens(text);
  return words.map((word, at) => ({ spellings: [word], isPrefix: at === words.length - 1 }));
}

async function wordsLike(db: Kysely<Schema>, word: string): Promise<string[]> {
  const rows = db
    .selectFrom('word_trigram')
    .select('word')
    .where('trigram', 'in', trigramsOf(word))
    .groupBy('word')
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy('word')
    .limit(MAX_CANDIDATES);
  return (await rows.execute())
    .map((row) => ({ word: row.word, alike: similarity(word, row.word) }))
    .filter((one) => one.alike >= ALIKE && one.word !== word)
    .sort((one, other) => other.alike - one.alike)
    .slice(0, MAX_ALIKE)
    .map((one) => one.word);
}

/** Builds the query of the term index. Terms contain only letters and digits. */
export function wordQuery(db: Kysely<Schema>, words: SearchTerms, isStrong: boolean): string {
  const [and, or] = isPostgres(db) ? [' & ', ' | '] : [' AND ', ' OR '];
  const spelt = (word: string, isPrefix: boolean) =>
    isPostgres(db)
      ? `'${word}'${isPrefix || isStrong ? ':' : ''}${isPrefix ? '*' : ''}${isStrong ? 'A' : ''}`
      : `"${word}"${isPrefix ? '*' : ''}`;
  const all = words.map(({ spellings, isPrefix }) => `(${spellings.map((word) => spelt(word, isPrefix)).join(or)})`);
  const query = all.join(and);
  return isStrong && !isPostgres(db) ? `{strong} : (${query})` : query;
}

/** True if the filter has no condition other than the terms. */
export function isAboutWordsAlone(db: Kysely<Schema>, filter: AssetFilter): boolean {
  return isEverywhere(filter) && !filter.search && conditions(db, filter).length === 1;
}

const isEverywhere = ({ folder, recursive = false }: AssetFilter) =>
  folder === undefined || (recursive && folder === '');

/** Builds the conditions on rows of `asset`, except the terms and words of the path. */
export function conditions(db: Kysely<Schema>, filter: AssetFilter): Expression<SqlBool>[] {
  const { folder, recursive, kind } = filter;
  const found: RawBuilder<SqlBool>[] = [];
  if (folder !== undefined && !isEverywhere(filter)) {
    const which = recursive ? within(folder) : sql<SqlBool>`path = ${folder}`;
    found.push(sql`asset."folderId" in (select id from folder where ${which})`);
  } else found.push(isInShownFolder());
  if (kind) found.push(sql`asset."kind" = ${kind}`);
  return [...found, ...assetConditions(db, filter)];
}

/** Builds the conditions on rows of `asset` that are independent of their folder. */
export function assetConditions(db: Kysely<Schema>, filter: AssetConditions): RawBuilder<SqlBool>[] {
  const { tags = [], withoutTags = [], orientation, colour, fields = {} } = filter;
  const found: RawBuilder<SqlBool>[] = [];
  if (filter.terms !== undefined) {
    const terms = exactTerms(filter.terms);
    found.push(...(terms.length === 0 ? [sql<SqlBool>`1 = 0`] : hasTerms(db, terms)));
  }
  const tagged = (tag: string) => sql`(select "assetId" from asset_tag where tag = ${tag})`;
  for (const tag of tags) found.push(sql`asset."id" in ${tagged(tag)}`);
  for (const tag of withoutTags) found.push(sql`asset."id" not in ${tagged(tag)}`);
  if (filter.isUntagged) found.push(sql`not exists (select 1 from asset_tag where asset_tag."assetId" = asset."id")`);
  if (filter.hasNoAlt) found.push(sql`coalesce(asset."alt", '') = ''`);
  if (filter.isUndecodable) found.push(isUndecodable(db));
  for (const column of ['size', 'width', 'height', 'duration', 'modifiedAt', 'takenAt'] as const)
    found.push(...inRange(column, filter[column]));
  if (orientation) found.push(sql`asset."width" ${sql.raw(SIGNS[orientation])} asset."height"`);
  if (colour) found.push(isNearColour(colour));
  for (const [name, value] of Object.entries(fields)) found.push(hasField(db, name, value));
  return found;
}

/** Builds the conditions for assets with all terms. @param which only strong, or only weak matches; both by default */
export function hasTerms(db: Kysely<Schema>, terms: SearchTerms, which?: 'strong' | 'weak'): RawBuilder<SqlBool>[] {
  const all = wordQuery(db, terms, false);
  const strong = wordQuery(db, terms, true);
  if (isPostgres(db)) {
    const found = (query: string, is = sql`in`) =>
      sql<SqlBool>`asset."id" ${is} (select "assetId" from asset_words where words @@ cast(${query} as tsquery))`;
    if (which === 'weak') return [found(all), found(strong, sql`not in`)];
    return [found(which === 'strong' ? strong : all)];
  }
  const query = which === 'strong' ? strong : which === 'weak' ? `(${all}) NOT (${strong})` : all;
  return [sql`asset."id" in (select rowid from asset_words where asset_words match ${query})`];
}

function isUndecodable(db: Kysely<Schema>): RawBuilder<SqlBool> {
  if (isPostgres(db)) return sql`asset."problem" is not null`;
  // SQLite has no statistics: without the subquery it would read all files in the order of the page.
  return sql`asset."id" in (select "id" from asset where "problem" is not null)`;
}

const SIGNS = { landscape: '>', portrait: '<', square: '=' } as const;

function inRange(column: string, { min, max }: Range = {}): RawBuilder<SqlBool>[] {
  const value = sql.ref(`asset.${column}`);
  return [
    ...(min === undefined ? [] : [sql<SqlBool>`${value} >= ${min}`]),
    ...(max === undefined ? [] : [sql<SqlBool>`${value} <= ${max}`]),
  ];
}

function isNearColour(colour: string): RawBuilder<SqlBool> {
  const lab = labOfHex(colour);
  const square = (column: string, value: number) => {
    const difference = sql`(asset.${sql.ref(column)} - ${sql.lit(value)})`;
    return sql`${difference} * ${difference}`;
  };
  const distance = sql.join([square('labL', lab.l), square('labA', lab.a), square('labB', lab.b)], sql` + `);
  return sql`${distance} <= ${sql.lit(NEAR_COLOUR ** 2)}`;
}

function hasField(db: Kysely<Schema>, name: string, value: string): RawBuilder<SqlBool> {
  if (isPostgres(db)) return sql`cast(asset."fields" as json) ->> ${name} = ${value}`;
  return sql`exists (
    select 1 from json_each(asset."fields") where "key" = ${name}
    and case "type" when 'true' then 'true' when 'false' then 'false' else cast("value" as text) end = ${value}
  )`;
}
