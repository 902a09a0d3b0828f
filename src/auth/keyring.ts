import { type Kysely, sql } from 'kysely';
import { insertWhere } from '../db/insert.ts';
import type { ApiKeyRow, OpenDatabase, Schema } from '../db/schema.ts';
import {
  type ApiKey,
  DEFAULT_EXPIRES_IN,
  generateKey,
  generateKeyId,
  hashKey,
  newRow,
  PERMISSIONS,
  type Permission,
  parsePermissions,
  quotaColumns,
  type RateLimit,
  rateLimitColumns,
  toApiKey,
} from './api-key.ts';
import { ensureFirstKey, storeEnvironmentKey } from './first-key.ts';
import { countUse } from './key-limits.ts';
import { createKeyRows, type KeyRows, prepareFind } from './key-rows.ts';
import { isSame } from './signature.ts';

export interface Refusal {
  readonly refused: 'unknown' | 'disabled' | 'expired' | 'exhausted' | 'rate limited';
}

export interface NewKey {
  name?: string | undefined;
  /** Default 365 days. */
  expiresInSeconds?: number | undefined;
  /** Default all. */
  permissions?: readonly Permission[] | undefined;
  /** Quota: requests in all. Default unlimited, as null. */
  remaining?: number | null | undefined;
  /** Default none, as null. */
  rateLimit?: RateLimit | null | undefined;
}

type KeyChange = Pick<NewKey, 'name' | 'remaining' | 'rateLimit'> & { enabled?: boolean | undefined };

export type Keyring = ReturnType<typeof createKeyring>;

/** Minimum interval between two writes of a key's last use, in ms. */
const LAST_USE_PRECISION_MS = 60_000;

export interface KeyringOptions {
  database: OpenDatabase;
  /** Lookup of rows for checks. Default: the database. */
  rows?: KeyRows;
  /** Called before a change is acknowledged. */
  onChange?: () => Promise<void>;
  /** Unix milliseconds. */
  now?: () => number;
}

/** Creates, lists, changes, revokes and verifies API keys. */
export function createKeyring(options: KeyringOptions) {
  const { database, onChange, now = Date.now } = options;
  const { db, file } = database;
  const { rows = createKeyRows(database) } = options;
  /** Completes a change: an acknowledged one is durable, and applies on all nodes. */
  async function commit<T>(change: Promise<T>): Promise<T> {
    const result = await change;
    await onChange?.();
    await file.assertDurable();
    return result;
  }
  return {
    storeEnvironmentKey: (key: string) => commit(storeEnvironmentKey(db, now(), key)),
    ensureFirstKey: () => ensureFirstKey(db, now()),
    create: (key: NewKey = {}) => commit(createKey(db, now(), key)),
    /** Imports a key of another installation; false when it exists already. */
    adopt: (row: ApiKeyRow) => commit(adoptKey(db, row)),
    verify: createVerify({ db, rows, findStored: prepareFind(database), now }),
    /** Lists keys, oldest first, without their values. SQLite accepts an offset only after a limit. */
    async list({ limit = Number.MAX_SAFE_INTEGER, offset = 0 } = {}): Promise<ApiKey[]> {
      await rows.writeUses();
      const keys = db.selectFrom('api_key').selectAll().orderBy('createdAt').orderBy('id');
      return (await keys.limit(limit).offset(offset).execute()).map(toApiKey);
    },
    update: (id: string, change: KeyChange) => commit(updateKey(db, now(), id, change)),
    /** Revokes a key permanently; false when no key has this id. */
    async remove(id: string): Promise<boolean> {
      const { numDeletedRows } = await commit(db.deleteFrom('api_key').where('id', '=', id).executeTakeFirstOrThrow());
      return numDeletedRows > 0n;
    },
  };
}

/** Creates a key. Only this result contains `key`. */
async function createKey(db: Kysely<Schema>, now: number, options: NewKey): Promise<ApiKey & { key: string }> {
  const { name = 'API key', expiresInSeconds = DEFAULT_EXPIRES_IN, permissions = PERMISSIONS } = options;
  const key = generateKey();
  const { remaining, rateLimit } = options;
  const row = newRow({ id: generateKeyId(), key, name, permissions, now, expiresInSeconds, remaining, rateLimit });
  await db.insertInto('api_key').values(row).execute();
  return { ...toApiKey(row), key };
}

function adoptKey(db: Kysely<Schema>, row: ApiKeyRow): Promise<boolean> {
  const isNew = sql`not exists (select 1 from api_key where id = ${row.id} or hash = ${row.hash})`;
  return insertWhere(db, 'api_key', row, isNew);
}

/** Changes the provided fields; a new quota retains its refill. Undefined when no key has this id. */
async function updateKey(db: Kysely<Schema>, now: number, id: string, change: KeyChange): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('api_key')
    .set({
      ...(change.name !== undefined && { name: change.name }),
      ...(change.enabled !== undefined && { enabled: Number(change.enabled) }),
      ...(change.remaining === null && quotaColumns(null)),
      // Restart the interval: an overdue refill would replace the new value.
      ...(typeof change.remaining === 'number' && { remaining: change.remaining, refilledAt: now }),
      ...(change.rateLimit !== undefined && rateLimitColumns(change.rateLimit)),
      updatedAt: new Date(now).toISOString(),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row && toApiKey(row);
}

interface VerifyOptions {
  db: Kysely<Schema>;
  rows: KeyRows;
  /** Looks up a key by its hash, always in the database. */
  findStored: KeyRows['find'];
  now: () => number;
}

/** Verifies a presented key with a hash and one select. Only a key with a quota or a rate limit costs a write. */
function createVerify({ db, rows, findStored, now }: VerifyOptions) {
  async function refusalOf(row: ApiKeyRow): Promise<Refusal | undefined> {
    if (await countUse(db, row.id, now())) return undefined;
    const stored = await findStored(row.hash);
    if (stored === undefined) return { refused: 'unknown' };
    return { refused: stored.remaining === 0 ? 'exhausted' : 'rate limited' };
  }
  return async (presented: string): Promise<Pick<ApiKey, 'id' | 'name' | 'permissions'> | Refusal> => {
    const hashed = hashKey(presented);
    const row = await rows.find(hashed);
    if (row === undefined || !isSame(row.hash, hashed)) return { refused: 'unknown' };
    if (row.enabled === 0) return { refused: 'disabled' };
    if (row.expiresAt !== null && Date.parse(row.expiresAt) <= now()) return { refused: 'expired' };
    if (row.remaining !== null || row.rateLimitMax !== null) {
      const refusal = await refusalOf(row);
      if (refusal !== undefined) return refusal;
    } else if (row.lastUsedAt === null || isOutdated(row.lastUsedAt, now())) {
      rows.noteUse(row.id, new Date(now()).toISOString());
    }
    return { id: row.id, name: row.name, permissions: parsePermissions(row.permissions) };
  };
}

/** True if the last use has to be recorded again, also if it is in the future because the clock was set back. */
function isOutdated(lastUse: string, now: number): boolean {
  return Math.abs(now - Date.parse(lastUse)) >= LAST_USE_PRECISION_MS;
}
