import { type Kysely, sql, type Transaction } from 'kysely';
import { isPostgres } from '../db/dialect.ts';
import { insertWhere } from '../db/insert.ts';
import type { ApiKeyRow, Schema } from '../db/schema.ts';
import { DEFAULT_EXPIRES_IN, generateKey, generateKeyId, LONGEST_EXPIRES_IN, newRow, PERMISSIONS } from './api-key.ts';

/** Row id of the key in `API_KEY`. One fixed row, so that another value replaces the old key. */
export const ENVIRONMENT_ID = 'environment';

/**
 * Creates a key, unless one exists that has not expired.
 * @returns the new key, which is shown once
 */
export async function ensureFirstKey(db: Kysely<Schema>, now: number): Promise<{ key: string } | undefined> {
  const key = generateKey();
  const terms = { permissions: PERMISSIONS, now, expiresInSeconds: DEFAULT_EXPIRES_IN };
  const row = newRow({ id: generateKeyId(), key, name: 'First key', ...terms });
  const expiry = sql.ref('expiresAt');
  const isFirst = sql`not exists (select 1 from api_key where ${expiry} is null or ${expiry} > ${row.createdAt})`;
  return (await insertWhere(db, 'api_key', row, isFirst)) ? { key } : undefined;
}

/** Columns of the limits of a key, with their counts. */
const LIMITS = [
  'remaining',
  'refillAmount',
  'refillIntervalMs',
  'refilledAt',
  'rateLimitMax',
  'rateLimitWindowMs',
  'rateLimitStartedAt',
  'rateLimitCount',
] as const satisfies readonly (keyof ApiKeyRow)[];

/**
 * Stores the key of `API_KEY`, so that it works after each start: enabled, with all permissions and a term of ten
 * years. It replaces the previous key of the environment. A key with the same value keeps its limits, even a quota
 * that is used up. Without the variable, the last key stays until it is revoked.
 */
export async function storeEnvironmentKey(transaction: Transaction<Schema>, now: number, key: string): Promise<void> {
  const terms = { permissions: PERMISSIONS, now, expiresInSeconds: LONGEST_EXPIRES_IN };
  const unlimited = newRow({ id: ENVIRONMENT_ID, key, name: 'Environment key', ...terms });
  const known = await transaction
    .selectFrom('api_key')
    .select(LIMITS)
    .where('hash', '=', unlimited.hash)
    // Requests that are counted meanwhile wait.
    .$if(isPostgres(transaction), (query) => query.forUpdate())
    .executeTakeFirst();
  const row = { ...unlimited, ...known };
  const { id: _id, name: _name, createdAt: _createdAt, lastUsedAt: _lastUsedAt, ...renewed } = row;
  // A key that was created here and then set as API_KEY is one key, not two.
  await transaction.deleteFrom('api_key').where('hash', '=', row.hash).where('id', '!=', ENVIRONMENT_ID).execute();
  await transaction
    .insertInto('api_key')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(renewed))
    .execute();
}
