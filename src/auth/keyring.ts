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

/** How often the last use of a key is recorded at most, so that a request costs no write. */
const LAST_USE_PRECISION_MS = 60_000;

export interface KeyringOptions {
  database: OpenDatabase;
  /** Where checks find the rows of the keys; the database itself by default. */
  rows?: KeyRows;
  /** Is called before a change counts as done. */
  onChange?: () => Promise<void>;
  /** Unix milliseconds. */
  now?: () => number;
}

/** The API keys. */
export function createKeyring(options: KeyringOptions) {
  const { database, onChange, now = Date.now } = options;
  const { db, file } = database;
  const { rows = createKeyRows(database) } = options;
  /** An acknowledged change has to last, and to count everywhere. */
  async function lasting<T>(change: Promise<T>): Promise<T> {
    const result = await change;
    await onChange?.();
    await file.assertLasting();
    return result;
  }
  return {
    storeEnvironmentKey: (key: string) => lasting(storeEnvironmentKey(db, now(), key)),
    ensureFirstKey: () => ensureFirstKey(db, now()),
    create: (wanted: NewKey = {}) => lasting(createKey(db, now(), wanted)),
    /** Takes over a key that another installation has made; false when it is here already. */
    adopt: (row: ApiKeyRow) => lasting(adoptKey(db, row)),
    verify: createVerify({ db, rows, findStored: prepareFind(database), now }),
    /** The keys, oldest first, without their values. SQLite takes an offset only after a limit. */
    async list({ limit = Number.MAX_SAFE_INTEGER, offset = 0 } = {}): Promise<ApiKey[]> {
      await rows.writeUses();
      const keys = db.selectFrom('api_key').selectAll().orderBy('createdAt').orderBy('id');
      return (await keys.limit(limit).offset(offset).execute()).map(toApiKey);
    },
    update: (id: string, change: KeyChange) => lasting(updateKey(db, now(), id, change)),
    /** Revokes a key for good; false when there is none with this id. */
    async remove(id: string): Promise<boolean> {
      const { numDeletedRows } = await lasting(db.deleteFrom('api_key').where('id', '=', id).executeTakeFirstOrThrow());
      return numDeletedRows > 0n;
    },
  };
}

/** Makes a key. This answer is the only place that ever shows `key`. */
async function createKey(db: Kysely<Schema>, now: number, wanted: NewKey): Promise<ApiKey & { key: string }> {
  const { name = 'API key', expiresInSeconds = DEFAULT_EXPIRES_IN, permissions = PERMISSIONS } = wanted;
  const key = generateKey();
  const { remaining, rateLimit } = wanted;
  const row = newRow({ id: generateKeyId(), key, name, permissions, now, expiresInSeconds, remaining, rateLimit });
  await db.insertInto('api_key').values(row).execute();
  return { ...toApiKey(row), key };
}

function adoptKey(db: Kysely<Schema>, row: ApiKeyRow): Promise<boolean> {
  const isNew = sql`not exists (select 1 from api_key where id = ${row.id} or hash = ${row.hash})`;
  return insertWhere(db, 'api_key', row, isNew);
}

/** Changes the fields that are given, and keeps a refill with a quota. Undefined when there is no key with this id. */
async function updateKey(db: Kysely<Schema>, now: number, id: string, change: KeyChange): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('api_key')
    .set({
      ...(change.name !== undefined && { name: change.name }),
      ...(change.enabled !== undefined && { enabled: Number(change.enabled) }),
      ...(change.remaining === null && quotaColumns(null)),
      // Its interval begins anew: an overdue refill would replace the new value.
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
  /** Looks a key up in the database itself, by its hash. */
  findStored: KeyRows['find'];
  now: () => number;
}

/** Checks a presented key: a hash and one select. Only a key with a quota or a rate limit costs a write. */
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
    } else if (row.lastUsedAt === null || isPast(row.lastUsedAt, now())) {
      rows.noteUse(row.id, new Date(now()).toISOString());
    }
    return { id: row.id, name: row.name, permissions: parsePermissions(row.permissions) };
  };
}

/** Whether the last use has to be recorded again. It also has to be when it lies in the future, because the clock was set back. */
function isPast(lastUse: string, now: number): boolean {
  return Math.abs(now - Date.parse(lastUse)) >= LAST_USE_PRECISION_MS;
}
