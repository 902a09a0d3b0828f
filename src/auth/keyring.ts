import type { Kysely } from 'kysely';
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
  toApiKey,
} from './api-key.ts';
import type { Auth } from './auth.ts';
import { ensureFirstKey, storeEnvironmentKey } from './first-key.ts';
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

/** The API keys. `now` gives Unix milliseconds. */
export function createKeyring(options: { auth: Auth; database: OpenDatabase; now?: (() => number) | undefined }) {
  const { auth, database, now = Date.now } = options;
  const { db, file } = database;
  /** An acknowledged change has to last. */
  async function lasting<T>(change: Promise<T>): Promise<T> {
    const result = await change;
    await file.assertLasting();
    return result;
  }
  return {
    storeEnvironmentKey: (key: string) => storeEnvironmentKey(db, now(), key),
    ensureFirstKey: () => ensureFirstKey(db, now()),
    create: (wanted: NewKey = {}) => lasting(createKey(db, now(), wanted)),
    verify: createVerify(auth, database, now),
    /** The keys, oldest first, without their values. SQLite takes an offset only after a limit. */
    async list({ limit = Number.MAX_SAFE_INTEGER, offset = 0 } = {}): Promise<ApiKey[]> {
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
function createVerify(auth: Auth, { db, prepare }: OpenDatabase, now: () => number) {
  const findByHash = prepare<ApiKeyRow>(db.selectFrom('apikey').selectAll().where('key', '=', ''));
  const noteUse = createUseNotes(db);

  return async (presented: string): Promise<Pick<ApiKey, 'id' | 'name' | 'permissions'> | Refusal> => {
    const hashed = hashKey(presented);
    const [row] = await findByHash(hashed);
    if (row === undefined || !isSame(row.key, hashed)) return { refused: 'unknown' };
    if (row.enabled === 0) return { refused: 'disabled' };
    if (row.expiresAt !== null && Date.parse(row.expiresAt) <= now()) return { refused: 'expired' };
    if (row.remaining !== null || row.rateLimitEnabled !== 0) {
      const refusal = await count(auth, presented);
      if (refusal !== undefined) return refusal;
    } else if (row.lastRequest === null || isPast(row.lastRequest, now())) {
      noteUse(row.id, new Date(now()).toISOString());
    }
    return { id: row.id, name: row.name ?? '', permissions: parsePermissions(row.permissions) };
  };
}

/** Whether the last use has to be recorded again. It also has to be when it lies in the future, because the clock was set back. */
function isPast(lastUse: string, now: number): boolean {
  return Math.abs(now - Date.parse(lastUse)) >= LAST_USE_PRECISION_MS;
}

async function count(auth: Auth, presented: string): Promise<Refusal | undefined> {
  const { valid, error } = await auth.api.verifyApiKey({ body: { key: presented } });
  if (valid) return undefined;
  if (error?.code === 'USAGE_EXCEEDED') return { refused: 'exhausted' };
  return { refused: error?.code === 'RATE_LIMITED' ? 'rate limited' : 'unknown' };
}

/**
 * Records last uses of keys, and lets nobody wait for it: not while another process holds the database. A failure is ignored,
 * because a full disk must lock nobody out; the next use tries again.
 */
function createUseNotes(db: Kysely<Schema>): (id: string, lastRequest: string) => void {
  const underWay = new Set<string>();
  return (id, lastRequest) => {
    if (underWay.has(id)) return;
    underWay.add(id);
    const change = db.updateTable('apikey').set({ lastRequest }).where('id', '=', id).execute();
    void change.catch(() => undefined).then(() => underWay.delete(id));
  };
}
