import { type Kysely, sql } from 'kysely';
import { yieldToEventLoop } from '../../concurrency.ts';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { type StoragePath, withFoldersAbove } from '../../path.ts';
import { fromFilesIn } from './in-folder.ts';
import { preparedQuery } from './prepared-query.ts';
import { inChunks, ROW_BATCH, step } from './step.ts';

/**
 * The files of a space have a term of their own in SQLite's full-text index. Without it a search in a small space would
 * read all files of a large library that have the searched terms; PostgreSQL combines two indexes. The term only makes
 * it faster: the condition on the folder decides. A file may have the term of a space that it has left.
 */
export const hasSpaceTerms = (db: Kysely<Schema>) => !isPostgres(db);

/** Letters of private use: the tokenizer keeps them, and no term of a file or of a search has any (`tokens.ts`). */
const FIRST = '\u{e000}';
const HYPHEN = '\u{e001}';

/** Returns the term of a space. The tokenizer would split its id at hyphens. */
export const termOf = (space: string) => FIRST + space.replaceAll('-', HYPHEN);

export interface SpaceFolder {
  id: string;
  folder: StoragePath;
  /** Differs for a later space with the same id. */
  createdAt: string;
}

const SPACES_AT = preparedQuery<{ folders: string }, { id: string; folder: string; createdAt: string }>(
  (db, placeholder) =>
    db
      .selectFrom('space')
      .select(['id', 'folder', 'createdAt'])
      .where(sql<boolean>`folder in (select value from json_each(${placeholder('folders')}))`)
      .compile(),
);

const ANY_SPACE = preparedQuery<object, { id: string }>((db) => db.selectFrom('space').select('id').limit(1).compile());

/** True if there is a space. */
export async function hasSpaces(db: Kysely<Schema>): Promise<boolean> {
  return (await ANY_SPACE(db, {})).rows.length > 0;
}

/** Returns the spaces that folders belong to, by folder; without those that belong to none. */
export async function spacesOf(db: Kysely<Schema>, folders: Iterable<string>): Promise<Map<string, SpaceFolder>> {
  const above = new Map(Array.from(folders, (folder) => [folder, withFoldersAbove(folder as StoragePath)]));
  const all = new Set([...above.values()].flat());
  const found = new Map<string, SpaceFolder>();
  const { rows } = await SPACES_AT(db, { folders: JSON.stringify([...all]) });
  if (rows.length === 0) return found;
  const spaces = new Map(rows.map((row) => [row.folder, { ...row, folder: row.folder as StoragePath }]));
  for (const [folder, own] of above) {
    const space = own.map((one) => spaces.get(one)).find((one) => one !== undefined);
    if (space) found.set(folder, space);
  }
  return found;
}

/** Returns the files in a folder, at any depth, that lack the term of a space. */
async function filesWithoutTerm(db: Kysely<Schema>, folder: StoragePath, space: string, limit = -1): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select asset."id" ${fromFilesIn(folder, true)} and asset."id" not in (
      select rowid from asset_words where asset_words match ${`{strong} : "${termOf(space)}"`}
    ) limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Has the files of a folder indexed again that lack the term of their space, in small steps. */
export async function indexAgain(db: Kysely<Schema>, reader: Kysely<Schema>, folder: StoragePath): Promise<void> {
  if (!hasSpaceTerms(db)) return;
  const space = (await spacesOf(reader, [folder])).get(folder);
  if (!space) return;
  for (const ids of inChunks(await filesWithoutTerm(reader, folder, space.id), ROW_BATCH)) {
    await step(db, async (transaction) => {
      await transaction.updateTable('asset').set({ searchable: 0 }).where('id', 'in', ids).execute();
    });
    await yieldToEventLoop();
  }
}

/** Has the files of a moved folder indexed again when it has entered a space. */
export async function indexEntered(transaction: Kysely<Schema>, from: StoragePath, to: StoragePath): Promise<void> {
  if (!hasSpaceTerms(transaction)) return;
  const spaces = await spacesOf(transaction, [from, to]);
  if (spaces.get(from)?.id !== spaces.get(to)?.id) await indexAgain(transaction, transaction, to);
}

/** Knows the spaces whose files all have their term, or wait to be indexed. */
export class SpaceTerms {
  readonly #db: Kysely<Schema>;
  readonly #reader: Kysely<Schema>;
  /** Times of creation by id. */
  readonly #complete = new Map<string, string>();
  readonly #repairs = new Map<string, Promise<void>>();

  constructor(db: Kysely<Schema>, reader: Kysely<Schema>) {
    this.#db = db;
    this.#reader = reader;
  }

  /** Returns the term that all files of a folder have; undefined outside of spaces, and while some may lack it. */
  async find(folder: StoragePath | undefined): Promise<string | undefined> {
    if (folder === undefined || !hasSpaceTerms(this.#reader)) return undefined;
    const space = (await spacesOf(this.#reader, [folder])).get(folder);
    if (!space) return undefined;
    if (this.#complete.get(space.id) === space.createdAt) return termOf(space.id);
    const [lacking] = await filesWithoutTerm(this.#reader, space.folder, space.id, 1);
    if (lacking !== undefined) {
      this.#repair(space);
      return undefined;
    }
    this.#complete.set(space.id, space.createdAt);
    return termOf(space.id);
  }

  /** A process may have been killed between the creation of a space and the update of its files. */
  #repair({ id, folder }: SpaceFolder): void {
    if (this.#repairs.has(id)) return;
    // The next search tries again.
    const repair = indexAgain(this.#db, this.#reader, folder)
      .catch(() => undefined)
      .finally(() => this.#repairs.delete(id));
    this.#repairs.set(id, repair);
  }
}
