import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** The tables of better-auth 1.7 and its API key plugin; a test compares them with what the library asks for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createUser(db);
  await createSession(db);
  await createAccount(db);
  await createVerification(db);
  await createApiKey(db);
}

async function createUser(db: Kysely<unknown>): Promise<void> {
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

async function createSession(db: Kysely<unknown>): Promise<void> {
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

async function createAccount(db: Kysely<unknown>): Promise<void> {
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

async function createVerification(db: Kysely<unknown>): Promise<void> {
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

async function createApiKey(db: Kysely<unknown>): Promise<void> {
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
