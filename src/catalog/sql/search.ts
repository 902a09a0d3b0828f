import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { mediaTypeOf } from '../../media.ts';
import { isWithin, type StoragePath } from '../../path.ts';
import type {
  AssetFilter,
  DuplicatePage,
  Facets,
  Searches,
  SearchPage,
  SearchPosition,
  SearchRequest,
  SearchSort,
} from '../catalog-search.ts';
import { HIDDEN } from '../hidden.ts';
import { nameKeyOf } from '../name-key.ts';
import type { AssetRecord } from '../records.ts';
import { readFound, selectAssets, toRecord } from './asset-rows.ts';
import { findDuplicates } from './duplicates.ts';
import { searchPaths } from './path-search.ts';
import { conditions, hasTerms, isAboutWordsAlone, type SearchTerms, searchTerms, wordQuery } from './search-filter.ts';
import { areSomeMissing } from './searchable.ts';
import { findSimilar } from './similar.ts';
import type { SpaceTerms } from './space-terms.ts';

const MAX_COUNTED = 100_000;
const MAX_TAGS = 50;

/** A part of an order: rows that meet a condition, sorted by a column, then by id. */
interface Part {
  condition?: RawBuilder<SqlBool>;
  column: keyof typeof VALUES | 'id';
  /** Set of searched terms: strong or weak matches; both by default. */
  words?: 'strong' | 'weak';
}

/** What a filter searches. */
interface Searched {
  words: SearchTerms;
  /** Conditions of the words that the path must have. */
  paths: readonly RawBuilder<SqlBool>[];
}

/** Position of the row after which a page begins. */
type Position = Pick<SearchPosition, 'id' | 'value'>;

const VALUES = {
  nameKey: ({ name }: AssetRecord) => name,
  size: ({ size }: AssetRecord) => size,
  modifiedAt: ({ modifiedAt }: AssetRecord) => modifiedAt,
  createdAt: ({ createdAt }: AssetRecord) => createdAt,
  takenAt: ({ takenAt }: AssetRecord) => takenAt,
} as const;

const PARTS: Readonly<Record<SearchSort, readonly Part[]>> = {
  relevance: [
    { column: 'id', words: 'strong' },
    { column: 'id', words: 'weak' },
  ],
  name: [{ column: 'nameKey' }],
  size: [{ column: 'size' }],
  mtime: [{ column: 'modifiedAt' }],
  created: [{ column: 'createdAt' }],
  taken: [
    { column: 'takenAt', condition: sql`asset."takenAt" is not null` },
    { column: 'id', condition: sql`asset."takenAt" is null` },
  ],
};

/** Searches the library in a database. */
export class SqlSearches implements Searches {
  readonly #db: Kysely<Schema>;
  readonly #indexAll: () => Promise<void>;
  readonly #spaces: SpaceTerms;

  /** @param indexAll indexes the files that wait for it */
  constructor(db: Kysely<Schema>, indexAll: () => Promise<void>, spaces: SpaceTerms) {
    this.#db = db;
    this.#indexAll = indexAll;
    this.#spaces = spaces;
  }

  async page(request: SearchRequest): Promise<SearchPage> {
    await this.#prepare(request);
    const page = await this.#page(request, request.after?.isNear ?? false);
    const isWanting = page.assets.length === 0 && !request.after && (request.text ?? '').trim() !== '';
    return isWanting ? this.#page(request, true) : page;
  }

  async total(filter: AssetFilter, isNear: boolean, ceiling: number): Promise<number> {
    await this.#prepare(filter);
    const found = this.#found(filter, await this.#searched(filter, isNear));
    const counted = sql<{ count: number }>`
      select count(*) as "count" from (select 1 as one ${found} limit ${ceiling}) as found
    `;
    return (await counted.execute(this.#db)).rows[0]?.count ?? 0;
  }

  async facets(filter: AssetFilter, isNear: boolean): Promise<Facets> {
    await this.#prepare(filter);
    const found = this.#found(filter, await this.#searched(filter, isNear));
    const some = sql`(
      select asset."id", asset."kind", asset."extension" ${found} limit ${MAX_COUNTED}
    ) as found`;
    const kinds = await sql<{ kind: string; extension: string; count: number }>`
      select "kind", "extension", count(*) as "count" from ${some} group by "kind", "extension"
    `.execute(this.#db);
    const tags = await sql<{ tag: string; count: number }>`
      select tag, count(*) as "count" from ${some} join asset_tag on asset_tag."assetId" = found."id"
      group by tag order by count(*) desc, tag limit ${MAX_TAGS}
    `.execute(this.#db);
    const facets: Facets = { kind: {}, tag: {}, type: {} };
    for (const { kind, extension, count } of kinds.rows) {
      const { mime } = mediaTypeOf(`file.${extension}`);
      facets.kind[kind] = (facets.kind[kind] ?? 0) + count;
      facets.type[mime] = (facets.type[mime] ?? 0) + count;
    }
    for (const { tag, count } of tags.rows) facets.tag[tag] = count;
    return facets;
  }

  duplicates(limit: number, after?: string, folder?: StoragePath): Promise<DuplicatePage> {
    return findDuplicates(this.#db, limit, after, folder);
  }

  similar(limit: number, after?: string, folder?: StoragePath): Promise<DuplicatePage> {
    return findSimilar(this.#db, limit, after, folder);
  }

  async #prepare({ text = '' }: AssetFilter): Promise<void> {
    if (text.trim() !== '') await this.#indexAll();
  }

  /** Returns the searched terms, and that of the space if all files of the folder have it. */
  async #terms(filter: AssetFilter, isNear: boolean): Promise<SearchTerms> {
    const words = await searchTerms(this.#db, filter.text, isNear);
    if (words.length === 0) return words;
    const space = await this.#spaces.find(filter.folder);
    if (space === undefined || (await areSomeMissing(this.#db))) return words;
    return [{ spellings: [space], isPrefix: false }, ...words];
  }

  async #searched(filter: AssetFilter, isNear: boolean): Promise<Searched> {
    const words = await this.#terms(filter, isNear);
    const recursive = filter.folder === undefined || filter.recursive;
    const { conditions: paths } = await searchPaths(this.#db, { ...filter, recursive });
    return { words, paths };
  }

  async #page(request: SearchRequest, isNear: boolean): Promise<SearchPage> {
    const { after, limit } = request;
    const searched = await this.#searched(request, isNear);
    // Without terms all rows are equally relevant.
    const isUnranked = request.sort === 'relevance' && searched.words.length === 0;
    const parts: readonly Part[] = isUnranked ? [{ column: 'id' }] : PARTS[request.sort];
    const found: { asset: AssetRecord; part: number }[] = [];
    for (let part = after?.part ?? 0; part < parts.length && found.length <= limit; part++) {
      const position = after?.part === part ? after : undefined;
      const assets = await this.#inPart(request, searched, parts[part] as Part, position, limit + 1 - found.length);
      found.push(...assets.map((asset) => ({ asset, part })));
    }
    const shown = found.slice(0, limit);
    const last = found.length > limit ? shown.at(-1) : undefined;
    const column = last && (parts[last.part] as Part).column;
    const value = last && column && column !== 'id' ? VALUES[column](last.asset) : null;
    return {
      assets: shown.map(({ asset }) => asset),
      isNear,
      next: last && { id: last.asset.id, part: last.part, value, isNear },
    };
  }

  async #inPart(
    request: SearchRequest,
    searched: Searched,
    part: Part,
    after: Position | undefined,
    limit: number,
  ): Promise<AssetRecord[]> {
    const isSimple = isPostgres(this.#db) && isAboutWordsAlone(this.#db, request);
    if (!isSimple || !part.words) return this.#sorted(request, searched, part, after, limit);
    const rows = await this.#newest(searched.words, part.words, after, limit);
    const found = rows.filter(({ folder }) => !isWithin(folder as StoragePath, HIDDEN)).map(toRecord);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    // Some may lie in the trash.
    if (!last || found.length === limit) return found;
    const position = { id: last.id, value: null };
    return [...found, ...(await this.#sorted(request, searched, part, position, limit - found.length))];
  }

  /** Finds the newest files with the terms. Reads only these: rows of all matches lie far apart on disk. */
  #newest(words: SearchTerms, which: 'strong' | 'weak', after: Position | undefined, limit: number) {
    const has = (isStrong: boolean) => sql`words @@ cast(${wordQuery(this.#db, words, isStrong)} as tsquery)`;
    const found = which === 'strong' ? has(true) : sql`${has(false)} and not ${has(true)}`;
    const ids = sql<number>`(
      select "assetId" from asset_words where ${found} ${after ? sql`and "assetId" < ${after.id}` : sql``}
      order by "assetId" desc limit ${limit}
    )`;
    return selectAssets(this.#db).where('asset.id', 'in', ids).orderBy('asset.id', 'desc').execute();
  }

  #sorted(
    request: SearchRequest,
    searched: Searched,
    { column, condition, words: which }: Part,
    after: Position | undefined,
    limit: number,
  ): Promise<AssetRecord[]> {
    const direction = request.sort === 'relevance' || request.order === 'desc' ? 'desc' : 'asc';
    const keys = (column === 'id' ? ['id'] : [column, 'id']).map((one) => sql.ref(`asset.${one}`));
    const more = condition ? [condition] : [];
    if (after) {
      const value = column === 'nameKey' ? nameKeyOf(String(after.value)) : after.value;
      const values = column === 'id' ? [after.id] : [value, after.id];
      const sign = direction === 'desc' ? sql`<` : sql`>`;
      more.push(sql`(${sql.join(keys)}) ${sign} (${sql.join(values)})`);
    }
    const order = sql.join(keys.map((key) => sql`${key} ${sql.raw(direction)}`));
    const ids = sql<number>`(
      select asset."id" ${this.#found(request, searched, which, more)} order by ${order} limit ${limit}
    )`;
    return readFound(this.#db, ids, { keys, direction });
  }

  /** Builds `from asset ... where ...`. */
  #found(
    filter: AssetFilter,
    { words, paths }: Searched,
    which?: Part['words'],
    more: readonly RawBuilder<SqlBool>[] = [],
  ) {
    const condition = words.length === 0 ? hasNoWords(filter.text) : hasTerms(this.#db, words, which);
    const all = [...condition, ...conditions(this.#db, filter), ...paths, ...more];
    return sql`from asset where ${sql.join(all, sql` and `)}`;
  }
}

/** A text without letters or digits finds nothing; an empty text adds no condition. */
const hasNoWords = (text = '') => (text.trim() === '' ? [] : [sql<SqlBool>`1 = 0`]);
