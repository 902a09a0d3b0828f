import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './dialect.ts';
import type { Schema } from './schema.ts';

/** The time in that many ms from now, as text in the format of the tables. */
export type TimeIn = (offsetMs?: number) => RawBuilder<string>;

/** The same in Unix ms, for tables that store times as numbers. */
export type MillisecondsIn = (offsetMs?: number) => RawBuilder<number>;

/**
 * Creates the clock of a database. On PostgreSQL it is the server's, so that differing clocks of nodes do not matter.
 * It is read in a subquery, once per statement.
 * @param now Unix milliseconds, to be used instead
 */
export function clockOf(db: Kysely<Schema>, now?: () => number): TimeIn {
  if (now === undefined && isPostgres(db)) return serverTime;
  const read = now ?? Date.now;
  return (offsetMs = 0) => sql`${new Date(read() + offsetMs).toISOString()}`;
}

const serverTime: TimeIn = (offsetMs = 0) =>
  sql`(select to_char(
    (clock_timestamp() + ${offsetMs} * interval '1 millisecond') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
  ))`;

/** Like `clockOf`, in ms. */
export function millisecondsOf(db: Kysely<Schema>, now?: () => number): MillisecondsIn {
  if (now === undefined && isPostgres(db)) return serverMilliseconds;
  const read = now ?? Date.now;
  return (offsetMs = 0) => sql`${read() + offsetMs}`;
}

const serverMilliseconds: MillisecondsIn = (offsetMs = 0) =>
  sql`(select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) + cast(${offsetMs} as bigint))`;
