import { timingSafeEqual } from 'node:crypto';
import type Database from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { insertWhere } from '../db/insert.ts';
import type { ApiKeyRow, Schema } from '../db/schema.ts';
import {
  type ApiKey,
  generateKey,
  generateKeyId,
  hashKey,
  newRow,
  PERMISSIONS,
  type Permission,
  parsePermissions,
  toApiKey,
} from './api-key.ts';
import type { Auth } from './auth.ts';

/** Who presented a key that was accepted. */
export interface KeyHolder {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

export interface Refusal {
  readonly refused: 'unknown' | 'disabled' | 'expired' | 'exhausted' | 'rate limited';
}

export type Keyring = ReturnType<typeof createKeyring>;

const DAY_SECONDS = 24 * 60 * 60;
const DEFAULT_EXPIRES_IN = 365 * DAY_SECONDS;
const LONGEST_EXPIRES_IN = 3650 * DAY_SECONDS;

/** The key of the environment has one row of its own, so that changing the variable replaces the old key. */
const ENVIRONMENT_ID = 'environment';

/** Last use is noted at most this often: a request costs no write. */
const LAST_USE_PRECISION_MS = 60_000;

/** The API keys. `now` gives Unix milliseconds. */
export function createKeyring(options: {
  auth: Auth;
  db: Kysely<Schema>;
  sqlite: Database;
  now?: (() => number) | undefined;
}) {
  const { auth, db, sqlite, now = Date.now } = options;
  return {
    ensureFirstKey: (first: { fromEnvironment?: string | undefined } = {}) => ensureFirstKey(db, now(), first),
    create: (wanted: NewKey = {}) => createKey(db, now(), wanted),
    verify: createVerify(auth, sqlite, now),

    /** The keys, oldest first, without their values. */
    async list(page: { limit?: number | undefined; offset?: number | undefined } = {}): Promise<ApiKey[]> {
      const { limit = -1, offset = 0 } = page;
      const keys = db.selectFrom('apikey').selectAll().orderBy('createdAt').orderBy('id');
      return (await keys.limit(limit).offset(offset).execute()).map(toApiKey);
    },

    /** Renames, enables or disables a key; undefined when there is none with this id. */
    async update(
      id: string,
      change: { name?: string | undefined; enabled?: boolean | undefined },
    ): Promise<ApiKey | undefined> {
      const row = await db
        .updateTable('apikey')
        .set({
          ...(change.name !== undefined && { name: change.name }),
          ...(change.enabled !== undefined && { enabled: Number(change.enabled) }),
          updatedAt: new Date(now()).toISOString(),
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row && toApiKey(row);
    },

    /** Revokes a key for good; false when there is none with this id. */
    async remove(id: string): Promise<boolean> {
      const { numDeletedRows } = await db.deleteFrom('apikey').where('id', '=', id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}

export interface NewKey {
  name?: string | undefined;
  /** Default 365 days. */
  expiresInSeconds?: number | undefined;
  /** Default all. */
  permissions?: readonly Permission[] | undefined;
}

/** Makes a key. This answer is the only place that ever shows `key`. */
async function createKey(db: Kysely<Schema>, now: number, wanted: NewKey): Promise<ApiKey & { key: string }> {
  const { name = 'API key', expiresInSeconds = DEFAULT_EXPIRES_IN, permissions = PERMISSIONS } = wanted;
  const key = generateKey();
  const row = newRow({ id: generateKeyId(), key, name, permissions, now, expiresInSeconds });
  await db.insertInto('apikey').values(row).execute();
  return { ...toApiKey(row), key };
}

/**
 * Sees to it that there is a key to begin with. A key from the environment always works after a start: it is stored
 * hashed, enabled again, given its permissions back and a new term of ten years, and takes the place of the one that the
 * environment held before. Without it, and without any key that has not expired, a key is made.
 * @returns the key that was made, to be shown once; never the environment's
 */
async function ensureFirstKey(
  db: Kysely<Schema>,
  now: number,
  first: { fromEnvironment?: string | undefined },
): Promise<{ key: string } | undefined> {
  if (first.fromEnvironment !== undefined) {
    await storeEnvironmentKey(db, now, first.fromEnvironment);
    return undefined;
  }
  const key = generateKey();
  const terms = { permissions: PERMISSIONS, now, expiresInSeconds: DEFAULT_EXPIRES_IN };
  const row = newRow({ id: generateKeyId(), key, name: 'First key', ...terms });
  const isFirst = sql`not exists (select 1 from apikey where ${sql.ref('expiresAt')} > ${row.createdAt})`;
  return (await insertWhere(db, 'apikey', row, isFirst)) ? { key } : undefined;
}

async function storeEnvironmentKey(db: Kysely<Schema>, now: number, key: string): Promise<void> {
  const terms = { permissions: PERMISSIONS, now, expiresInSeconds: LONGEST_EXPIRES_IN };
  const row = newRow({ id: ENVIRONMENT_ID, key, name: 'Environment key', ...terms });
  const { id: _id, name: _name, createdAt: _createdAt, lastRequest: _lastRequest, ...renewed } = row;
  await db.transaction().execute(async (transaction) => {
    // A key that was created here and then put into the environment is one key, not two.
    await transaction.deleteFrom('apikey').where('key', '=', row.key).where('id', '!=', ENVIRONMENT_ID).execute();
    await transaction
      .insertInto('apikey')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(renewed))
      .execute();
  });
}

/**
 * Checks a presented key: a hash and one prepared select. Only a key with a quota or a rate limit of its own goes on to
 * the plugin, which counts in the row.
 */
function createVerify(auth: Auth, sqlite: Database, now: () => number) {
  const select = sqlite.prepare<[string], ApiKeyRow>('select * from apikey where key = ?');
  const noteUse = sqlite.prepare<[string, string]>('update apikey set lastRequest = ? where id = ?');

  return async (presented: string): Promise<KeyHolder | Refusal> => {
    const hashed = hashKey(presented);
    const row = select.get(hashed);
    if (row === undefined || !isSame(row.key, hashed)) return { refused: 'unknown' };
    if (row.enabled === 0) return { refused: 'disabled' };
    if (row.expiresAt !== null && Date.parse(row.expiresAt) <= now()) return { refused: 'expired' };
    // The plugin would delete the row.
    if (row.remaining === 0 && row.refillAmount === null) return { refused: 'exhausted' };
    if (row.remaining !== null || row.rateLimitEnabled !== 0) {
      const refusal = await count(auth, presented);
      if (refusal !== undefined) return refusal;
    } else if (row.lastRequest === null || now() - Date.parse(row.lastRequest) >= LAST_USE_PRECISION_MS) {
      tryToRun(() => noteUse.run(new Date(now()).toISOString(), row.id));
    }
    return { id: row.id, name: row.name ?? '', permissions: parsePermissions(row.permissions) };
  };
}

async function count(auth: Auth, presented: string): Promise<Refusal | undefined> {
  const { valid, error } = await auth.api.verifyApiKey({ body: { key: presented } });
  if (valid) return undefined;
  if (error?.code === 'USAGE_EXCEEDED') return { refused: 'exhausted' };
  return { refused: error?.code === 'RATE_LIMITED' ? 'rate limited' : 'unknown' };
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}

/** A good key is good whether or not its last use can be written down: a full disk locks nobody out. */
function tryToRun(write: () => void): void {
  try {
    write();
  } catch {
    // The next use tries again.
  }
}
