import { randomUUID } from 'node:crypto';
import { type ExpressionBuilder, type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import { TRUSTED } from '../../client.ts';
import type { TimeIn } from '../../db/clock.ts';
import { isPostgres } from '../../db/dialect.ts';
import { lockUntilEnd } from '../../db/locks.ts';
import type { JobRow, Schema } from '../../db/schema.ts';
import { type NewJob, TRANSCODE, TRANSITIONS } from '../job.ts';
import type { QueueLimits } from '../job-store.ts';

type Row = Selectable<JobRow>;

/** The value of `job.client` for trusted clients, who are one. */
const TRUSTED_CLIENT = '';

/** What has become of a new job: its row, or that of the job that is there already. */
export interface AddedRow {
  row: Row;
  isNew: boolean;
}

/**
 * Adds a job if the limits allow it; undefined when they do not. SQLite writes one statement after the other. PostgreSQL does not,
 * and two that count at once would both find room, so new jobs are added one after the other there too. Whoever asks for a job that
 * is there already waits for nobody.
 */
export async function addJob(
  db: Kysely<Schema>,
  job: NewJob,
  limits: QueueLimits,
  timeIn: TimeIn,
): Promise<AddedRow | undefined> {
  if (!isPostgres(db)) return insertJob(db, job, limits, timeIn);
  const there = await openJobs(db, job).selectAll().executeTakeFirst();
  if (there !== undefined && there.priority <= job.priority) return { row: there, isNew: false };
  return db.transaction().execute(async (transaction) => {
    await lockUntilEnd(transaction, 'add job');
    return insertJob(transaction, job, limits, timeIn);
  });
}

async function insertJob(
  db: Kysely<Schema>,
  job: NewJob,
  limits: QueueLimits,
  timeIn: TimeIn,
): Promise<AddedRow | undefined> {
  const { path, variantKey, transformation, version, priority, kind = TRANSCODE, payload = null } = job;
  const client = storedClient(job);
  const fields = {
    ...{ path, variantKey, transformation, version, priority, client, kind, payload },
    ...{ id: randomUUID(), status: TRANSITIONS.claim.from, progress: 0, attempts: 0, lostLeases: 0 },
  };
  const names = Object.keys(fields) as (keyof typeof fields)[];
  const row = await db
    .insertInto('job')
    .columns([...names, 'dueAt', 'createdAt'])
    .expression(
      db
        .selectNoFrom(({ val }) => names.map((name) => val(fields[name]).as(name)))
        .select([timeIn().as('dueAt'), timeIn().as('createdAt')])
        .where(isWithinLimits(db, job, limits)),
    )
    .onConflict((conflict) =>
      conflict.column('variantKey').where(sql.ref('status'), '<>', sql.lit('completed')).doUpdateSet({
        priority: sql`case when excluded.priority < job.priority then excluded.priority else job.priority end`,
      }),
    )
    .returningAll()
    .executeTakeFirst();
  return row && { row, isNew: row.id === fields.id };
}

function storedClient({ client }: NewJob): string {
  return client === TRUSTED ? TRUSTED_CLIENT : client;
}

/** The job of a variant that stands in the way of a new one, if there is one. */
function openJobs(db: Kysely<Schema>, { variantKey }: NewJob) {
  return db.selectFrom('job').where('variantKey', '=', variantKey).where(sql.ref('status'), '<>', sql.lit('completed'));
}

/** Whether a new job may be added: it is within the limits of its kind, or it will not be new. */
function isWithinLimits(db: Kysely<Schema>, job: NewJob, limits: QueueLimits) {
  const { kind = TRANSCODE } = job;
  const client = storedClient(job);
  const jobs = db.selectFrom('job').where('kind', '=', kind);
  const count = jobs.select((eb) => eb.fn.countAll<number>().as('count'));
  const pending = count.where('status', '=', 'pending');
  const ofClient = count.where('client', '=', client).where('status', 'in', ['pending', 'running']);
  const open = openJobs(db, job).select('sequence');
  return ({ and, or, exists, lit, val }: ExpressionBuilder<Schema, never>) =>
    or([
      exists(open),
      and([
        sql<SqlBool>`${pending} < ${val(limits.pending)}`,
        client === TRUSTED_CLIENT ? lit(true) : sql<SqlBool>`${ofClient} < ${val(limits.ofClient)}`,
      ]),
    ]);
}
