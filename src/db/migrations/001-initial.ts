import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { isPostgres } from '../dialect.ts';
import { createCatalog } from './001-catalog.ts';

/**
 * Creates all tables of the first release. Those of accounts are better-auth's; a test compares them with what it
 * requires.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createUsers(db);
  await createSessions(db);
  await createAccounts(db);
  await createVerifications(db);
  await createSignInClients(db);
  await createApiKeys(db);
  await createDownloadTickets(db);
  await createSettings(db);
  await createJobs(db);
  await createJobEvents(db);
  await createUsage(db);
  await createOutbox(db);
  await createWebhooks(db);
  await createWebhookDeliveries(db);
  if (isPostgres(db)) await createRequestWindows(db);
  await createCatalog(db);
}

async function createUsers(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await db.schema
    .createTable('user')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('email', text, (column) => column.notNull().unique())
    .addColumn('emailVerified', integer, (column) => column.notNull())
    .addColumn('image', text)
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .execute();
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  await db.schema
    .createTable('session')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('expiresAt', time, (column) => column.notNull())
    .addColumn('token', text, (column) => column.notNull().unique())
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .addColumn('ipAddress', text)
    .addColumn('userAgent', text)
    .addColumn('userId', text, (column) => column.notNull().references('user.id').onDelete('cascade'))
    .execute();
  await db.schema.createIndex('session_userId_idx').on('session').column('userId').execute();
}

async function createAccounts(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  await db.schema
    .createTable('account')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('accountId', text, (column) => column.notNull())
    .addColumn('providerId', text, (column) => column.notNull())
    .addColumn('userId', text, (column) => column.notNull().references('user.id').onDelete('cascade'))
    .addColumn('accessToken', text)
    .addColumn('refreshToken', text)
    .addColumn('idToken', text)
    .addColumn('accessTokenExpiresAt', time)
    .addColumn('refreshTokenExpiresAt', time)
    .addColumn('scope', text)
    .addColumn('password', text)
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('account_userId_idx').on('account').column('userId').execute();
}

async function createVerifications(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  await db.schema
    .createTable('verification')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('identifier', text, (column) => column.notNull())
    .addColumn('value', text, (column) => column.notNull())
    .addColumn('expiresAt', time, (column) => column.notNull())
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('verification_identifier_idx').on('verification').column('identifier').execute();
}

/** Clients from which an account was signed in to: a keyed hash of the address, and the time of the last sign-in. */
async function createSignInClients(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  await db.schema
    .createTable('sign_in_client')
    .addColumn('userId', text, (column) => column.notNull().references('user.id').onDelete('cascade'))
    .addColumn('client', text, (column) => column.notNull())
    .addColumn('usedAt', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('sign_in_client_pk', ['userId', 'client'])
    .execute();
}

async function createApiKeys(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await db.schema
    .createTable('apikey')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('configId', text, (column) => column.notNull())
    .addColumn('name', text)
    .addColumn('start', text)
    .addColumn('referenceId', text, (column) => column.notNull())
    .addColumn('prefix', text)
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('refillInterval', integer)
    .addColumn('refillAmount', integer)
    .addColumn('lastRefillAt', time)
    .addColumn('enabled', integer)
    .addColumn('rateLimitEnabled', integer)
    .addColumn('rateLimitTimeWindow', integer)
    .addColumn('rateLimitMax', integer)
    .addColumn('requestCount', integer)
    .addColumn('remaining', integer)
    .addColumn('lastRequest', time)
    .addColumn('expiresAt', time)
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('updatedAt', time, (column) => column.notNull())
    .addColumn('permissions', text)
    .addColumn('metadata', text)
    .execute();
  for (const column of ['configId', 'referenceId', 'key']) {
    await db.schema.createIndex(`apikey_${column}_idx`).on('apikey').column(column).execute();
  }
}

/** Single-use downloads: the content of each ticket, and its expiry. */
async function createDownloadTickets(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  await db.schema
    .createTable('download_ticket')
    .addColumn('hash', text, (column) => column.notNull().primaryKey())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('expiresAt', time, (column) => column.notNull())
    .execute();
}

/** Facts that the service stores about itself, such as the secret that signs session cookies. */
async function createSettings(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema
    .createTable('setting')
    .addColumn('name', text, (column) => column.notNull().primaryKey())
    .addColumn('value', text, (column) => column.notNull())
    .execute();
}

async function createJobs(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await withSequence(db, 'job')
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('variantKey', text, (column) => column.notNull())
    .addColumn('transformation', text, (column) => column.notNull())
    .addColumn('version', text, (column) => column.notNull())
    .addColumn('priority', integer, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('progress', integer, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('lostLeases', integer, (column) => column.notNull())
    .addColumn('dueAt', text, (column) => column.notNull())
    .addColumn('lease', text)
    .addColumn('leaseUntil', text)
    .addColumn('createdAt', text, (column) => column.notNull())
    .addColumn('startedAt', text)
    .addColumn('completedAt', text)
    .addColumn('error', text)
    .addColumn('client', text, (column) => column.defaultTo('').notNull())
    .addColumn('turn', integer, (column) => column.defaultTo(0).notNull())
    .addColumn('trouble', text)
    .addColumn('kind', text, (column) => column.defaultTo('transcode').notNull())
    .addColumn('payload', text)
    .execute();
  await db.schema
    .createIndex('job_open_variant_idx')
    .unique()
    .on('job')
    .column('variantKey')
    .where(sql.ref('status'), '<>', sql.lit('completed'))
    .execute();
  const onJob = (name: string) => db.schema.createIndex(`job_${name}_idx`).on('job');
  await onJob('variantKey').column('variantKey').execute();
  await onJob('path').column('path').execute();
  await onJob('status').columns(['status', 'priority', 'sequence']).execute();
  await onJob('client').columns(['client', 'status']).execute();
  await onJob('client_turn').columns(['client', 'turn']).execute();
  await onJob('turn').column('turn').execute();
}

/** Events of jobs, for other nodes. A single node holds them in memory. */
async function createJobEvents(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await db.schema
    .createTable('job_event')
    .addColumn('id', integer, (column) => column.notNull().primaryKey())
    .addColumn('key', text, (column) => column.notNull().unique())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('data', text, (column) => column.notNull())
    .execute();
}

/** Usage counters, and the changes in progress, which show if the counters can be trusted. */
async function createUsage(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await db.schema
    .createTable('storage_total')
    .addColumn('id', integer, (column) => column.notNull().primaryKey())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('fileCount', integer, (column) => column.notNull())
    .addColumn('updatedAt', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('storage_change')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('node', text, (column) => column.defaultTo('').notNull())
    .execute();
}

/** Messages to other services that are still to be sent. */
async function createOutbox(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await withSequence(db, 'outbox')
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('target', text, (column) => column.notNull())
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('dueAt', time, (column) => column.notNull())
    .addColumn('lease', text)
    .addColumn('leaseUntil', time)
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('failedAt', time)
    .addColumn('error', text)
    .execute();
  await db.schema.createIndex('outbox_target_idx').on('outbox').columns(['target', 'failedAt', 'sequence']).execute();
  await db.schema.createIndex('outbox_lease_idx').on('outbox').column('lease').execute();
}

async function createWebhooks(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await db.schema
    .createTable('webhook')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('events', text, (column) => column.notNull())
    .addColumn('folder', text, (column) => column.notNull())
    .addColumn('enabled', integer, (column) => column.notNull())
    .addColumn('disabledReason', text)
    .addColumn('secret', text, (column) => column.notNull())
    .addColumn('previousSecret', text)
    .addColumn('previousUntil', time)
    .addColumn('failingSince', time)
    .addColumn('createdAt', time, (column) => column.notNull())
    .execute();
}

async function createWebhookDeliveries(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await withSequence(db, 'webhook_delivery')
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('webhook', text, (column) => column.notNull())
    .addColumn('event', text, (column) => column.notNull())
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('attempts', integer, (column) => column.notNull())
    .addColumn('log', text, (column) => column.notNull())
    .addColumn('dueAt', time, (column) => column.notNull())
    .addColumn('lease', text)
    .addColumn('leaseUntil', time)
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('endedAt', time)
    .execute();
  const onDelivery = (name: string) => db.schema.createIndex(`webhook_delivery_${name}_idx`).on('webhook_delivery');
  await onDelivery('webhook').columns(['webhook', 'sequence']).execute();
  await onDelivery('due').columns(['webhook', 'dueAt']).where(sql.ref('status'), '=', sql.lit('pending')).execute();
  await onDelivery('createdAt').column('createdAt').execute();
}

/** Requests per client, counted by all nodes together. May be lost in a crash. */
async function createRequestWindows(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table request_window (
      client text collate "C" primary key, used bigint not null, ends_at timestamptz not null
    )
  `.execute(db);
}

/** A table numbered in the order of creation. */
function withSequence(db: Kysely<unknown>, table: string) {
  const isSerial = isPostgres(db);
  return db.schema
    .createTable(table)
    .addColumn('sequence', isSerial ? 'bigserial' : 'integer', (column) =>
      isSerial ? column.primaryKey() : column.primaryKey().autoIncrement(),
    );
}
