import { createHash } from 'node:crypto';

/** What PostgreSQL's advisory locks are used for; each has names of its own. */
export type LockKind = 'node' | 'once' | 'path';

/** The number of an advisory lock, signed and of 64 bits, as the text that PostgreSQL takes for a bigint. */
export function lockId(kind: LockKind, name: string): string {
  return createHash('sha256').update(`${kind}:${name}`).digest().readBigInt64BE().toString();
}

/** Of the view pg_locks: the advisory locks of this database, and the number of one. */
export const ADVISORY = `locktype = 'advisory' and objsubid = 1
  and database = (select oid from pg_database where datname = current_database())`;
export const LOCK_ID = '((classid::bigint << 32) | objid::bigint)';
