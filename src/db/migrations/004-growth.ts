import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { isPostgres } from '../dialect.ts';

/** Adds the indexes and counters without which look-ups would read whole tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const onJob = (name: string) => db.schema.createIndex(`job_${name}_idx`).on('job');
  await onJob('waiting').columns(['status', 'priority', 'client', 'sequence']).execute();
  await onJob('listed').columns(['status', 'sequence']).execute();
  await onJob('ended').columns(['status', 'completedAt']).execute();
  await db.schema.createIndex('trash_path_idx').on('trash').columns(['path', 'deletedAt', 'id']).execute();
  await db.schema.createIndex('api_key_createdAt_idx').on('api_key').columns(['createdAt', 'id']).execute();
  await createJobCounts(db);
}

/**
 * Creates the numbers of jobs by status, maintained by triggers. On PostgreSQL these add rows, which are summed: two
 * transactions that changed the same rows would wait for each other.
 */
async function createJobCounts(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  await db.schema
    .createTable('job_count')
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('isTrusted', integer, (column) => column.notNull())
    .addColumn('jobs', integer, (column) => column.notNull())
    .$call((table) => (isPostgres(db) ? table : table.addPrimaryKeyConstraint('job_count_pk', ['status', 'isTrusted'])))
    .execute();
  await sql`
    insert into job_count (status, "isTrusted", jobs)
    select status, case client when '' then 1 else 0 end, count(*) from job group by 1, 2
  `.execute(db);
  for (const statement of isPostgres(db) ? onPostgres() : onSqlite()) await sql.raw(statement).execute(db);
}

function onSqlite(): string[] {
  const count = (row: string, jobs: number) => `
    insert into job_count (status, "isTrusted", jobs) values (${row}.status, ${row}.client = '', ${jobs})
    on conflict (status, "isTrusted") do update set jobs = jobs + excluded.jobs;`;
  return [
    `create trigger job_inserted after insert on job begin ${count('new', 1)} end`,
    `create trigger job_deleted after delete on job begin ${count('old', -1)} end`,
    `create trigger job_changed after update of status on job when old.status <> new.status
      begin ${count('old', -1)} ${count('new', 1)} end`,
  ];
}

function onPostgres(): string[] {
  const added = 'select status, client, 1 as jobs from added';
  const gone = 'select status, client, -1 as jobs from gone';
  const routine = (event: string, rows: string) => `
    create function job_${event}() returns trigger language plpgsql as $$ begin
      insert into job_count (status, "isTrusted", jobs)
      select status, case client when '' then 1 else 0 end, sum(jobs) from (${rows}) as changed group by 1, 2
      having sum(jobs) <> 0;
      return null;
    end $$`;
  const after = (event: string, tables: string) => `
    create trigger job_${event} after ${event} on job referencing ${tables}
    for each statement execute function job_${event}()`;
  return [
    routine('insert', added),
    routine('delete', gone),
    routine('update', `${added} union all ${gone}`),
    `create function job_truncate() returns trigger language plpgsql as $$ begin
      delete from job_count; return null; end $$`,
    after('insert', 'new table as added'),
    after('delete', 'old table as gone'),
    after('update', 'new table as added old table as gone'),
    'create trigger job_truncate after truncate on job for each statement execute function job_truncate()',
  ];
}
