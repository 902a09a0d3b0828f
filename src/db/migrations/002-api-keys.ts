import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** A row of the table that better-auth's plugin used. */
interface PluginRow {
  id: string;
  name: string | null;
  start: string | null;
  prefix: string | null;
  key: string;
  enabled: number | null;
  permissions: string | null;
  remaining: number | null;
  refillAmount: number | null;
  refillInterval: number | null;
  lastRefillAt: string | null;
  rateLimitEnabled: number | null;
  rateLimitMax: number | null;
  rateLimitTimeWindow: number | null;
  requestCount: number | null;
  lastRequest: string | null;
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
}

interface Tables {
  apikey: PluginRow;
  api_key: Record<string, string | number | null>;
}

/** A statement may have 32,766 values; a row has 19. */
const BATCH_SIZE = 1000;

/**
 * Replaces the table of better-auth's API key plugin. Hashes, terms, permissions, quotas and rate limits stay in force.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createApiKeys(db);
  await copyKeys(db as Kysely<Tables>);
  await db.schema.dropTable('apikey').execute();
}

async function createApiKeys(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await db.schema
    .createTable('api_key')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('start', text, (column) => column.notNull())
    .addColumn('prefix', text)
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('enabled', integer, (column) => column.notNull())
    .addColumn('permissions', text, (column) => column.notNull())
    .addColumn('remaining', integer)
    .addColumn('refillAmount', integer)
    .addColumn('refillIntervalMs', integer)
    .addColumn('refilledAt', integer, (column) => column.notNull())
    .addColumn('rateLimitMax', integer)
    .addColumn('rateLimitWindowMs', integer)
    .addColumn('rateLimitStartedAt', integer, (column) => column.notNull())
    .addColumn('rateLimitCount', integer, (column) => column.notNull())
    .addColumn('lastUsedAt', time)
    .addColumn('expiresAt', time)
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .execute();
  // Not unique: nodes that start at the same moment upsert the key of the environment by its id.
  await db.schema.createIndex('api_key_hash_idx').on('api_key').column('hash').execute();
}

async function copyKeys(db: Kysely<Tables>): Promise<void> {
  const rows = await db.selectFrom('apikey').selectAll().execute();
  for (let start = 0; start < rows.length; start += BATCH_SIZE) {
    const batch = rows.slice(start, start + BATCH_SIZE).map(convert);
    await db.insertInto('api_key').values(batch).execute();
  }
}

function convert(row: PluginRow): Tables['api_key'] {
  const hasRefill = Boolean(row.remaining !== null && row.refillAmount && row.refillInterval);
  const hasRateLimit = row.rateLimitEnabled !== 0 && row.rateLimitMax !== null && row.rateLimitTimeWindow !== null;
  return {
    id: row.id,
    name: row.name ?? '',
    start: row.start ?? '',
    prefix: row.prefix,
    hash: row.key,
    enabled: row.enabled === 0 ? 0 : 1,
    permissions: JSON.stringify(permissionsOf(row.permissions)),
    remaining: row.remaining,
    refillAmount: hasRefill ? row.refillAmount : null,
    refillIntervalMs: hasRefill ? row.refillInterval : null,
    refilledAt: Date.parse(row.lastRefillAt ?? row.createdAt),
    rateLimitMax: hasRateLimit ? row.rateLimitMax : null,
    rateLimitWindowMs: hasRateLimit ? row.rateLimitTimeWindow : null,
    rateLimitStartedAt: hasRateLimit && row.lastRequest !== null ? Date.parse(row.lastRequest) : 0,
    rateLimitCount: hasRateLimit ? (row.requestCount ?? 0) : 0,
    lastUsedAt: row.lastRequest,
    expiresAt: row.expiresAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** The plugin stored actions by resource. */
function permissionsOf(json: string | null): unknown[] {
  try {
    const { darkroom } = JSON.parse(json ?? '{}');
    return Array.isArray(darkroom) ? darkroom : [];
  } catch {
    return [];
  }
}
