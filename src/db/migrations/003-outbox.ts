import { type Kysely, type RawBuilder, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { isPostgres } from '../dialect.ts';

/** Moves deliveries of webhooks to the outbox, with their log, and drops the tables that are no longer used. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await extendOutbox(db);
  await moveDeliveries(db);
  await db.schema.dropTable('webhook_delivery').execute();
  await db.schema.dropTable('storage_change').execute();
}

async function extendOutbox(db: Kysely<unknown>): Promise<void> {
  const { text, time } = columnTypes(db);
  const alter = () => db.schema.alterTable('outbox');
  for (const name of ['outbox_target_idx', 'outbox_lease_idx']) await db.schema.dropIndex(name).execute();
  await alter()
    .addColumn('event', text, (column) => column.defaultTo('').notNull())
    .execute();
  await alter()
    .addColumn('status', text, (column) => column.defaultTo('pending').notNull())
    .execute();
  await alter()
    .addColumn('log', text, (column) => column.defaultTo('[]').notNull())
    .execute();
  await alter().addColumn('endedAt', time).execute();
  await sql`update outbox set status = 'failed', "endedAt" = "failedAt" where "failedAt" is not null`.execute(db);
  await sql`update outbox set log = ${logOfError(db)} where error is not null`.execute(db);
  await alter().dropColumn('failedAt').execute();
  await alter().dropColumn('error').execute();
  const onOutbox = (name: string) => db.schema.createIndex(`outbox_${name}_idx`).on('outbox');
  await onOutbox('target').columns(['target', 'sequence']).execute();
  await onOutbox('due')
    .columns(['target', 'dueAt', 'sequence'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute();
  await onOutbox('createdAt').column('createdAt').execute();
}

/** The error of the last attempt, whose time was not stored. */
function logOfError(db: Kysely<unknown>): RawBuilder<string> {
  const names = sql`'at', coalesce("endedAt", "createdAt"), 'responseStatus', null, 'durationMs', 0, 'error', error`;
  return isPostgres(db)
    ? sql`cast(json_build_array(json_build_object(${names})) as text)`
    : sql`json_array(json_object(${names}))`;
}

/** In their order, with new numbers. */
async function moveDeliveries(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into outbox
      (id, target, event, payload, status, attempts, log, "dueAt", lease, "leaseUntil", "createdAt", "endedAt")
    select id, webhook, event, payload, status, attempts, log, "dueAt", lease, "leaseUntil", "createdAt", "endedAt"
    from webhook_delivery order by sequence
  `.execute(db);
}
