import { type Kysely, sql } from 'kysely';
import { insertWhere } from '../db/insert.ts';
import type { Schema } from '../db/schema.ts';
import { DEFAULT_EXPIRES_IN, generateKey, generateKeyId, LONGEST_EXPIRES_IN, newRow, PERMISSIONS } from './api-key.ts';

/** The key of the environment has one row of its own, so that changing the variable replaces the old key. */
export const ENVIRONMENT_ID = 'environment';

/**
 * Makes a first key, unless there is a key that has not expired.
 * @returns the new key, to be shown once
 */
export async function ensureFirstKey(db: Kysely<Schema>, now: number): Promise<{ key: string } | undefined> {
  const key = generateKey();
  const terms = { permissions: PERMISSIONS, now, expiresInSeconds: DEFAULT_EXPIRES_IN };
  const row = newRow({ id: generateKeyId(), key, name: 'First key', ...terms });
  const expiry = sql.ref('expiresAt');
  const isFirst = sql`not exists (select 1 from api_key where ${expiry} is null or ${expiry} > ${row.createdAt})`;
  return (await insertWhere(db, 'api_key', row, isFirst)) ? { key } : undefined;
}

/**
 * A key from the environment always works after a start: it is stored hashed, enabled again, given its permissions back
 * and a new term of ten years, and takes the place of the one that the environment held before. When the variable goes,
 * its last key stays until it is removed.
 */
export async function storeEnvironmentKey(db: Kysely<Schema>, now: number, key: string): Promise<void> {
  const terms = { permissions: PERMISSIONS, now, expiresInSeconds: LONGEST_EXPIRES_IN };
  const row = newRow({ id: ENVIRONMENT_ID, key, name: 'Environment key', ...terms });
  const { id: _id, name: _name, createdAt: _createdAt, lastUsedAt: _lastUsedAt, ...renewed } = row;
  await db.transaction().execute(async (transaction) => {
    // A key that was created here and then put into the environment is one key, not two.
    await transaction.deleteFrom('api_key').where('hash', '=', row.hash).where('id', '!=', ENVIRONMENT_ID).execute();
    await transaction
      .insertInto('api_key')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(renewed))
      .execute();
  });
}
