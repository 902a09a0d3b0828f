import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './dialect.ts';

export interface ColumnTypes {
  /** Sorted and compared by its bytes, independently of the database's locale. */
  readonly text: 'text' | RawBuilder<string>;
  /** An ISO 8601 text in UTC, which sorts chronologically. PostgreSQL's `date` would be a day. */
  readonly time: 'date' | RawBuilder<string>;
  /** Also a number of bytes. PostgreSQL's `integer` would end at 2 GB. */
  readonly integer: 'integer' | 'bigint';
  readonly bytes: 'blob' | 'bytea';
}

const SQLITE: ColumnTypes = { text: 'text', time: 'date', integer: 'integer', bytes: 'blob' };

const BY_BYTES = sql<string>`text collate "C"`;
const POSTGRES: ColumnTypes = { text: BY_BYTES, time: BY_BYTES, integer: 'bigint', bytes: 'bytea' };

/** The types of columns that hold the same values on both databases. */
export function columnTypes(db: Kysely<unknown>): ColumnTypes {
  return isPostgres(db) ? POSTGRES : SQLITE;
}
