import { type Kysely, sql } from 'kysely';
import { insertWhere } from '../db/insert.ts';
import type { ApiKeyRow, OpenDatabase, Schema } from '../db/schema.ts';
import { unavailable } from '../errors.ts';
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
  toApiKey,
} from './api-key.ts';
import type { Auth } from './auth.ts';
import { ensureFirstKey, storeEnvironmentKey } from './first-key.ts';
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
}

type KeyChange = Pick<NewKey, 'name'> & { enabled?: boolean | undefined };

export type Keyring = ReturnType<typeof createKeyring>;

/** How often the last use of a key is recorded at most, so that a request costs no write. */
const LAST_USE_PRECISION_MS = 60_000;

export interface KeyringOptions {
  auth: Auth;
  database: OpenDatabase;
  /** Where checks find the rows of the keys; the database itself by default. */
  rows?: KeyRows;
  /** Is called before a change counts as done. */
  onChange?: () => Promise<void>;
  /** Unix milliseconds. */
  now?: () => number;
}

const RETRY_SECONDS = 5;

/** The API keys. */
export function createKeyring(options: KeyringOptions) {
  const { auth, database, onChange, now = Date.now } = options;
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
    verify: createVerify(auth, { rows, ask: prepareFind(database) }, now),
    /** The keys, oldest first, without their values. SQLite takes an offset only after a limit. */
    async list({ limit = Number.MAX_SAFE_INTEGER, offset = 0 } = {}): Promise<ApiKey[]> {
      await rows.writeUses();
      const keys = db.selectFrom('apikey').selectAll().orderBy('createdAt').orderBy('id');
      return (await keys.limit(limit).offset(offset).execute()).map(toApiKey);
    },
    update: (id: string, change: KeyChange) => lasting(updateKey(db, now(), id, change)),
    /** Revokes a key for good; false when there is none with this id. */
    async remove(id: string): Promise<boolean> {
      const { numDeletedRows } = await lasting(db.deleteFrom('apikey').where('id', '=', id).executeTakeFirstOrThrow());
      return numDeletedRows > 0n;
    },
  };
}

/** Makes a key. This answer is the only place that ever shows `key`. */
async function createKey(db: Kysely<Schema>, now: number, wanted: NewKey): Promise<ApiKey & { key: string }> {
  const { name = 'API key', expiresInSeconds = DEFAULT_EXPIRES_IN, permissions = PERMISSIONS } = wanted;
  const key = generateKey();
  const row = newRow({ id: generateKeyId(), key, name, permissions, now, expiresInSeconds });
  await db.insertInto('apikey').values(row).execute();
  return { ...toApiKey(row), key };
}

function adoptKey(db: Kysely<Schema>, row: ApiKeyRow): Promise<boolean> {
  const isNew = sql`not exists (select 1 from apikey where id = ${row.id} or key = ${row.key})`;
  return insertWhere(db, 'apikey', row, isNew);
}

/** Renames, enables or disables a key; undefined when there is none with this id. */
async function updateKey(db: Kysely<Schema>, now: number, id: string, change: KeyChange): Promise<ApiKey | undefined> {
  const row = await db
    .updateTable('apikey')
    .set({
      ...(change.name !== undefined && { name: change.name }),
      ...(change.enabled !== undefined && { enabled: Number(change.enabled) }),
      updatedAt: new Date(now).toISOString(),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row && toApiKey(row);
}

/**
 * Checks a presented key: a hash and one select. Only a key with a quota or a rate limit of its own goes on to the plugin, which
 * counts in the row.
 */
function createVerify(auth: Auth, { rows, ask }: { rows: KeyRows; ask: KeyRows['find'] }, now: () => number) {
  return async (presented: string): Promise<Pick<ApiKey, 'id' | 'name' | 'permissions'> | Refusal> => {
    const hashed = hashKey(presented);
    const row = await rows.find(hashed);
    if (row === undefined || !isSame(row.key, hashed)) return { refused: 'unknown' };
    if (row.enabled === 0) return { refused: 'disabled' };
    if (row.expiresAt !== null && Date.parse(row.expiresAt) <= now()) return { refused: 'expired' };
    if (row.remaining !== null || row.rateLimitEnabled !== 0) {
      const refusal = await count(auth, presented, () => ask(hashed));
      if (refusal !== undefined) return refusal;
    } else if (row.lastRequest === null || isPast(row.lastRequest, now())) {
      rows.noteUse(row.id, new Date(now()).toISOString());
    }
    return { id: row.id, name: row.name ?? '', permissions: parsePermissions(row.permissions) };
  };
}

/** Whether the last use has to be recorded again. It also has to be when it lies in the future, because the clock was set back. */
function isPast(lastUse: string, now: number): boolean {
  return Math.abs(now - Date.parse(lastUse)) >= LAST_USE_PRECISION_MS;
}

/** @param ask looks the row of the key up in the database */
async function count(auth: Auth, presented: string, ask: () => Promise<unknown>): Promise<Refusal | undefined> {
  const { valid, error } = await auth.api.verifyApiKey({ body: { key: presented } });
  if (valid) return undefined;
  if (error?.code === 'USAGE_EXCEEDED') return { refused: 'exhausted' };
  if (error?.code === 'RATE_LIMITED') return { refused: 'rate limited' };
  // The plugin says so as well when the database fails it.
  if (error?.code === 'INVALID_API_KEY' && (await ask()))
    throw unavailable('The use of the API key cannot be counted now.', 'database_unavailable', RETRY_SECONDS);
  return { refused: 'unknown' };
}
