import { createHash } from 'node:crypto';

/** Purpose of an advisory lock, and namespace of its names. */
export type LockKind = 'node' | 'once' | 'path';

/** Number of an advisory lock: a signed 64-bit integer, as text for a `bigint` parameter. */
export function lockId(kind: LockKind, name: string): string {
  return createHash('sha256').update(`${kind}:${name}`).digest().readBigInt64BE().toString();
}

/** Condition and expression for the view `pg_locks`: the advisory locks of this database, and the number of a lock. */
export const ADVISORY = `locktype = 'advisory' and objsubid = 1
  and database = (select oid from pg_database where datname = current_database())`;
export const LOCK_ID = '((classid::bigint << 32) | objid::bigint)';
