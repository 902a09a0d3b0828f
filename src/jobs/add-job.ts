import { randomUUID } from 'node:crypto';
import { type ExpressionBuilder, type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import { anonymousPlaces, TRUSTED } from '../client.ts';
import type { TimeIn } from '../db/clock.ts';
import { isPostgres } from '../db/dialect.ts';
import { inTransaction, lockUntilEnd } from '../db/locks.ts';
import type { JobRow, Schema } from '../db/schema.ts';
import { type AddedJob, type NewJob, type QueueLimits, TRANSITIONS } from './job.ts';

type Row = Selectable<JobRow>;

/** The value of `job.client` for trusted clients, who count as one. */
const TRUSTED_CLIENT = '';

const COUNT = sql<number>`count(*)`;
/** Numbers of pending jobs, from their counters. */
const PENDING = sql<number>`coalesce(sum(jobs), 0)`;
const PENDING_OF_TRUSTED = sql<number>`coalesce(sum(case "isTrusted" when 1 then jobs end), 0)`;

/** The row of the new or existing job, or the limit that forbids it. */
export type AddedRow = { row: Row; isNew: boolean } | Refused;

type Refused = Extract<AddedJob, { refusal: unknown }>;

/**
 * Adds jobs if the limits allow them, one after the other, and visible to workers only all together. SQLite serializes
 * statements. PostgreSQL does not, and two concurrent counts would both find capacity, so additions are serialized
 * there too. A request for existing jobs waits for no lock.
 */
export async function addJobs(
  db: Kysely<Schema>,
  jobs: readonly NewJob[],
  limits: QueueLimits,
  timeIn: TimeIn,
): Promise<AddedRow[]> {
  const existing = isPostgres(db) ? await findExisting(db, jobs) : undefined;
  if (existing) return existing;
  return inTransaction(db, async (transaction) => {
    await lockUntilEnd(transaction, 'add job');
    const added: AddedRow[] = [];
    for (const job of jobs) added.push(await insertJob(transaction, job, limits, timeIn));
    return added;
  });
}

/** Returns the existing jobs, unless one is missing, has too low a priority, or changes its space. */
async function findExisting(db: Kysely<Schema>, jobs: readonly NewJob[]): Promise<AddedRow[] | undefined> {
  const found: AddedRow[] = [];
  for (const job of jobs) {
    const row = await openJobs(db, job).selectAll().executeTakeFirst();
    if (row === undefined || row.priority > job.priority || row.space !== (job.space || row.space)) return undefined;
    found.push({ row, isNew: false });
  }
  return found;
}

async function insertJob(db: Kysely<Schema>, job: NewJob, limits: QueueLimits, timeIn: TimeIn): Promise<AddedRow> {
  const { path, variantKey, transformation, version, priority } = job;
  const client = storedClient(job);
  const fields = {
    path,
    variantKey,
    transformation,
    version,
    priority,
    client,
    space: job.space ?? '',
    id: randomUUID(),
    status: TRANSITIONS.claim.from,
    progress: 0,
    attempts: 0,
    lostLeases: 0,
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
        space: sql`case when excluded.space = '' then job.space else excluded.space end`,
      }),
    )
    .returningAll()
    .executeTakeFirst();
  if (!row) return { refusal: await findRefusal(db, job, limits) };
  return { row, isNew: row.id === fields.id };
}

function storedClient({ client }: NewJob): string {
  return client === TRUSTED ? TRUSTED_CLIENT : client;
}

/** Selects the existing job of a variant that prevents a new one. */
function openJobs(db: Kysely<Schema>, { variantKey }: NewJob) {
  return db.selectFrom('job').where('variantKey', '=', variantKey).where(sql.ref('status'), '<>', sql.lit('completed'));
}

/** True if a new job is within the limits, or will not be new. */
function isWithinLimits(db: Kysely<Schema>, job: NewJob, limits: QueueLimits) {
  const open = openJobs(db, job).select('sequence');
  const hasPlace = pendingJobs(db).select((eb) => placeFor(job, limits)(eb).as('hasPlace'));
  const ofClient = openJobsOfClient(db, job).select(COUNT.as('count'));
  return ({ and, or, exists, lit, val }: ExpressionBuilder<Schema, never>) =>
    or([
      exists(open),
      and([
        sql<SqlBool>`${hasPlace}`,
        job.client === TRUSTED ? lit(true) : sql<SqlBool>`${ofClient} < ${val(limits.ofClient)}`,
      ]),
    ]);
}

/** True if the pending jobs leave capacity for one more. */
function placeFor({ client }: NewJob, { pending, reserved }: QueueLimits) {
  return ({ and, or, eb }: ExpressionBuilder<Schema, 'job_count'>) => {
    const isBelowMax = eb(PENDING, '<', pending);
    if (client === TRUSTED) return or([isBelowMax, eb(PENDING_OF_TRUSTED, '<', reserved)]);
    return and([
      isBelowMax,
      eb(sql<number>`${PENDING} - ${PENDING_OF_TRUSTED}`, '<', anonymousPlaces(pending, reserved)),
    ]);
  };
}

/** Finds the limit that refused a job. The counts may have changed since, except on PostgreSQL. */
async function findRefusal(db: Kysely<Schema>, job: NewJob, limits: QueueLimits): Promise<Refused['refusal']> {
  if (job.client === TRUSTED) return 'pending';
  const { pending } = await pendingJobs(db).select(PENDING.as('pending')).executeTakeFirstOrThrow();
  if (Number(pending) >= limits.pending) return 'pending';
  const { own } = await openJobsOfClient(db, job).select(COUNT.as('own')).executeTakeFirstOrThrow();
  return Number(own) >= limits.ofClient ? 'ofClient' : 'reserved';
}

function pendingJobs(db: Kysely<Schema>) {
  return db.selectFrom('job_count').where('status', '=', 'pending');
}

function openJobsOfClient(db: Kysely<Schema>, job: NewJob) {
  return db.selectFrom('job').where('client', '=', storedClient(job)).where('status', 'in', ['pending', 'running']);
}
