import { type Kysely, sql, type Transaction } from 'kysely';
import { insertWhere } from '../db/insert.ts';
import type { Within } from '../db/locks.ts';
import type { ApiKeyRow, OpenDatabase, Schema } from '../db/schema.ts';
import { badRequest } from '../errors.ts';
import { quote } from '../path.ts';
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
  secondsToNextWindow,
  toApiKey,
} from './api-key.ts';
import { type Commit, createCommit } from './commit.ts';
import { ensureFirstKey, storeEnvironmentKey } from './first-key.ts';
import { countUse } from './key-limits.ts';
import { createKeyRows, type KeyRows, prepareFind } from './key-rows.ts';
import { isSame } from './signature.ts';

export type Refusal =
  | { readonly refused: 'unknown' | 'disabled' | 'expired' | 'exhausted' }
  | { readonly refused: 'rate limited'; readonly retryAfterSeconds: number };

/** The holder of a valid key. */
export interface KeyHolder extends Pick<ApiKey, 'id' | 'name' | 'permissions'> {
  /** The only space that the key may enter; empty for a key of the installation, which may enter all. */
  space: string;
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
  /** The space to which it is restricted. Default none, as null; in a space, that space. */
  space?: string | null | undefined;
}

type KeyChange = Pick<NewKey, 'name' | 'remaining' | 'rateLimit'> & { enabled?: boolean | undefined };

/** Creates, lists, changes, revokes and verifies API keys: all, or those of a space. */
export type Keyring = ReturnType<typeof createKeyring>;

/** The part of a keyring that a space has for its own keys. Those of others do not exist there. */
export type SpaceKeyring = ReturnType<typeof manageKeys>;

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

export function createKeyring(options: KeyringOptions) {
  const { database, now = Date.now } = options;
  const { db } = database;
  const { rows = createKeyRows(database) } = options;
  const commit = createCommit(options);
  const managing: ManagingOptions = { db, rows, commit, now };
  return {
    ...manageKeys(managing, undefined),
    storeEnvironmentKey: (key: string) => commit((transaction) => storeEnvironmentKey(transaction, now(), key)),
    ensureFirstKey: () => ensureFirstKey(db, now()),
    /** Imports a key of another installation; false when it exists already. */
    adopt: (row: ApiKeyRow) => commit((transaction) => adoptKey(transaction, row)),
    verify: createVerify({ db, rows, findStored: prepareFind(database), now }),
    inSpace: (space: string): SpaceKeyring => manageKeys(managing, space),
  };
}

interface ManagingOptions {
  db: Kysely<Schema>;
  rows: KeyRows;
  commit: Commit;
  now: () => number;
}

/** @param space restricts everything to the keys of this space; undefined for those of all, and of the installation */
function manageKeys({ db, rows, commit, now }: ManagingOptions, space: string | undefined) {
  return {
    /**
     * @param within writes in the transaction of the change, as in the other functions
     * @throws HttpProblem 400 for a space that does not exist or, in a space, for another one
     */
    async create(key: NewKey = {}, within?: Within<ApiKey>): Promise<ApiKey & { key: string }> {
      const own = ownKey(key, space);
      return commit((transaction) => createKey(transaction, now(), own, within));
    },
    /** Lists keys, oldest first, without their values. SQLite accepts an offset only after a limit. */
    async list({ limit = Number.MAX_SAFE_INTEGER, offset = 0 } = {}): Promise<ApiKey[]> {
      await rows.writeUses();
      let keys = db.selectFrom('api_key').selectAll().orderBy('createdAt').orderBy('id');
      if (space !== undefined) keys = keys.where('space', '=', space);
      return (await keys.limit(limit).offset(offset).execute()).map(toApiKey);
    },
    update: (id: string, change: KeyChange, within?: Within<ApiKey>) =>
      commit(
        (transaction) => updateKey(transaction, now(), { id, space, change, within }),
        (key) => key !== undefined,
      ),
    /** Revokes a key permanently; false when no key has this id. */
    remove: (id: string, within?: Within<ApiKey>) =>
      commit((transaction) => removeKey(transaction, { id, space, within }), Boolean),
  };
}

/** Returns the key that may be created in a space. @throws HttpProblem 400 for one of another place */
function ownKey(key: NewKey, space: string | undefined): NewKey {
  if (space === undefined) return key;
  if (key.space !== undefined && key.space !== space) throw unknownSpace(key.space);
  return { ...key, space };
}

function unknownSpace(received: string | null) {
  const shown = received === null ? 'null' : quote(received);
  return badRequest(`Expected the id of a space as "space", received ${shown}.`, 'validation_failed');
}

/** Creates a key. Only this result contains `key`. */
async function createKey(
  transaction: Transaction<Schema>,
  now: number,
  options: NewKey,
  within?: Within<ApiKey>,
): Promise<ApiKey & { key: string }> {
  const { name = 'API key', expiresInSeconds = DEFAULT_EXPIRES_IN, permissions = PERMISSIONS } = options;
  const key = generateKey();
  const { remaining, rateLimit } = options;
  const space = options.space ?? '';
  const terms = { permissions, now, expiresInSeconds, remaining, rateLimit, space };
  const row = newRow({ id: generateKeyId(), key, name, ...terms });
  await insertKey(transaction, row);
  const created = toApiKey(row);
  await within?.(transaction, created);
  return { ...created, key };
}

/** @throws HttpProblem 400 for a space that does not exist */
async function insertKey(transaction: Transaction<Schema>, row: ApiKeyRow): Promise<void> {
  const { space } = row;
  if (space === '') {
    await transaction.insertInto('api_key').values(row).execute();
    return;
  }
  const exists = sql`exists (select 1 from space where id = ${space})`;
  // PostgreSQL cannot be queried for a text with NUL.
  if (space.includes('\0') || !(await insertWhere(transaction, 'api_key', row, exists))) throw unknownSpace(space);
}

function adoptKey(transaction: Transaction<Schema>, row: ApiKeyRow): Promise<boolean> {
  const isNew = sql`not exists (select 1 from api_key where id = ${row.id} or hash = ${row.hash})`;
  return insertWhere(transaction, 'api_key', row, isNew);
}

interface Found {
  id: string;
  /** Only a key of this space is found; undefined for any. */
  space: string | undefined;
  within: Within<ApiKey> | undefined;
}

/** Changes the provided fields; a new quota retains its refill. Undefined when no key has this id. */
async function updateKey(
  transaction: Transaction<Schema>,
  now: number,
  { id, space, change, within }: Found & { change: KeyChange },
): Promise<ApiKey | undefined> {
  const row = await transaction
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
    .$if(space !== undefined, (key) => key.where('space', '=', space as string))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const key = toApiKey(row);
  await within?.(transaction, key);
  return key;
}

/** @returns false when no key has this id */
async function removeKey(transaction: Transaction<Schema>, { id, space, within }: Found): Promise<boolean> {
  const row = await transaction
    .deleteFrom('api_key')
    .where('id', '=', id)
    .$if(space !== undefined, (key) => key.where('space', '=', space as string))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return false;
  await within?.(transaction, toApiKey(row));
  return true;
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
    if (stored.remaining === 0) return { refused: 'exhausted' };
    return { refused: 'rate limited', retryAfterSeconds: secondsToNextWindow(stored, now()) };
  }
  return async (presented: string): Promise<KeyHolder | Refusal> => {
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
    return { id: row.id, name: row.name, permissions: parsePermissions(row.permissions), space: row.space };
  };
}

/** True if the last use has to be recorded again, also if it is in the future because the clock was set back. */
function isOutdated(lastUse: string, now: number): boolean {
  return Math.abs(now - Date.parse(lastUse)) >= LAST_USE_PRECISION_MS;
}
