import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { isPostgres } from '../dialect.ts';

/** Adds spaces, roles, invitations, the second factor, the audit log and usage by day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createSpaces(db);
  await addSpaceColumns(db);
  await createMembers(db);
  await createInvitations(db);
  await createTwoFactor(db);
  await createAuditLog(db);
  await createUsageDays(db);
}

async function createSpaces(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await db.schema
    .createTable('space')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('folder', text, (column) => column.notNull().unique())
    .addColumn('enabled', integer, (column) => column.notNull())
    .addColumn('hosts', text, (column) => column.notNull())
    .addColumn('rules', text, (column) => column.notNull())
    .addColumn('secret', text, (column) => column.notNull())
    .addColumn('previousSecret', text)
    .addColumn('previousUntil', time)
    .addColumn('createdAt', time, (column) => column.notNull())
    .execute();
}

/** An empty space is the installation. */
async function addSpaceColumns(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  for (const table of ['api_key', 'session', 'job', 'job_event', 'webhook']) {
    await db.schema
      .alterTable(table)
      .addColumn('space', text, (column) => column.defaultTo('').notNull())
      .execute();
  }
  const on = (table: string) => db.schema.createIndex(`${table}_space_idx`).on(table);
  await on('api_key').columns(['space', 'createdAt', 'id']).execute();
  await on('job').columns(['space', 'status', 'sequence']).execute();
  await replaceJobIndexes(db);
}

/** Jobs are claimed by space, then by client. */
async function replaceJobIndexes(db: Kysely<unknown>): Promise<void> {
  for (const name of ['waiting', 'client_turn']) await db.schema.dropIndex(`job_${name}_idx`).execute();
  const onJob = (name: string) => db.schema.createIndex(`job_${name}_idx`).on('job');
  await onJob('waiting').columns(['space', 'status', 'priority', 'client', 'sequence']).execute();
  await onJob('client_turn').columns(['space', 'client', 'turn']).execute();
  await onJob('space_turn').columns(['space', 'turn']).execute();
}

/** Everyone with an account before this migration becomes an owner. */
async function createMembers(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  await db.schema
    .createTable('member')
    .addColumn('userId', text, (column) => column.notNull().references('user.id').onDelete('cascade'))
    .addColumn('space', text, (column) => column.notNull())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('source', text, (column) => column.notNull())
    .addColumn('createdAt', time, (column) => column.notNull())
    .addPrimaryKeyConstraint('member_pk', ['userId', 'space'])
    .execute();
  await db.schema.createIndex('member_space_idx').on('member').columns(['space', 'createdAt']).execute();
  await sql`
    insert into member ("userId", space, role, source, "createdAt")
    select id, '', 'owner', 'given', "createdAt" from ${sql.table('user')}
  `.execute(db);
}

async function createInvitations(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  await db.schema
    .createTable('invitation')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('space', text, (column) => column.notNull())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('email', text)
    .addColumn('createdBy', text)
    .addColumn('createdAt', time, (column) => column.notNull())
    .addColumn('expiresAt', time, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('invitation_space_idx').on('invitation').columns(['space', 'createdAt']).execute();
}

/** The column and the first table are better-auth's, name for name. */
async function createTwoFactor(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await db.schema
    .alterTable('user')
    .addColumn('twoFactorEnabled', integer, (column) => column.defaultTo(0).notNull())
    .execute();
  await db.schema
    .createTable('twoFactor')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('secret', text, (column) => column.notNull())
    .addColumn('backupCodes', text, (column) => column.notNull())
    .addColumn('userId', text, (column) => column.notNull().references('user.id').onDelete('cascade'))
    .addColumn('verified', integer)
    .addColumn('failedVerificationCount', integer)
    .addColumn('lockedUntil', time)
    .execute();
  for (const column of ['secret', 'userId']) {
    await db.schema.createIndex(`twoFactor_${column}_idx`).on('twoFactor').column(column).execute();
  }
  await db.schema
    .createTable('used_code')
    .addColumn('hash', text, (column) => column.notNull().primaryKey())
    .addColumn('usedAt', time, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('used_code_usedAt_idx').on('used_code').column('usedAt').execute();
}

/** Entries are added and, when they are old, deleted; a trigger refuses changes. Indexes have the order of pages. */
async function createAuditLog(db: Kysely<unknown>): Promise<void> {
  const { text, time, integer } = columnTypes(db);
  await db.schema
    .createTable('audit')
    .$call((table) =>
      isPostgres(db)
        ? table.addColumn('id', 'bigserial', (column) => column.primaryKey())
        : table.addColumn('id', integer, (column) => column.primaryKey().autoIncrement()),
    )
    .addColumn('at', time, (column) => column.notNull())
    .addColumn('space', text, (column) => column.notNull())
    .addColumn('actorType', text, (column) => column.notNull())
    .addColumn('actorId', text)
    .addColumn('actorName', text)
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('target', text)
    .addColumn('detail', text, (column) => column.notNull())
    .addColumn('address', text)
    .addColumn('requestId', text)
    .execute();
  const on = (name: string) => db.schema.createIndex(`audit_${name}_idx`).on('audit');
  await on('at').columns(['at', 'id']).execute();
  await on('space').columns(['space', 'at', 'id']).execute();
  await on('action').columns(['space', 'action', 'at', 'id']).execute();
  await on('actor').columns(['space', 'actorId', 'at', 'id']).execute();
  await on('target').columns(['space', 'target', 'at', 'id']).execute();
  // The library shows the entries of all spaces.
  await on('any_action').columns(['action', 'at', 'id']).execute();
  await on('any_actor').columns(['actorId', 'at', 'id']).execute();
  await on('any_target').columns(['target', 'at', 'id']).execute();
  for (const statement of isPostgres(db) ? REFUSED_ON_POSTGRES : REFUSED_ON_SQLITE) {
    await sql.raw(statement).execute(db);
  }
}

const REFUSED_ON_SQLITE = [
  `create trigger audit_unchanged before update on audit
    begin select raise(abort, 'entries of the audit log cannot be changed'); end`,
];

const REFUSED_ON_POSTGRES = [
  `create function audit_unchanged() returns trigger language plpgsql as $$ begin
    raise exception 'entries of the audit log cannot be changed'; end $$`,
  'create trigger audit_unchanged before update on audit for each row execute function audit_unchanged()',
];

async function createUsageDays(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  const isCount = (column: ColumnDefinitionBuilder) => column.defaultTo(0).notNull();
  await db.schema
    .createTable('usage_day')
    .addColumn('space', text, (column) => column.notNull())
    .addColumn('day', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('requests', integer, isCount)
    .addColumn('deliveredBytes', integer, isCount)
    .addColumn('uploadedBytes', integer, isCount)
    .addColumn('renders', integer, isCount)
    .addColumn('renderMs', integer, isCount)
    .addColumn('transcodeMs', integer, isCount)
    .addColumn('storedBytes', integer)
    .addPrimaryKeyConstraint('usage_day_pk', ['space', 'day', 'key'])
    .execute();
  await db.schema.createIndex('usage_day_day_idx').on('usage_day').column('day').execute();
}
