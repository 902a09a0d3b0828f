import { type ExpressionBuilder, type ExpressionWrapper, type Kysely, type SqlBool, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { MAX_RETRY_DELAY_MS, type NewJob, TRANSITIONS } from './job.ts';
import type { QueueLimits } from './job-store.ts';

/** A builder of conditions on jobs; times are texts, which sort as times do. */
export type Where = ExpressionBuilder<Schema, 'job'>;
type Condition = ExpressionWrapper<Schema, 'job', SqlBool>;

/** The time that many milliseconds from now. */
export type TimeIn = (offsetMs?: number) => string;

/** A job that is due further ahead than any job is put off was dated before the clock was set back. It counts as due. */
export const isDue = (where: Where, timeIn: TimeIn): Condition =>
  where.and([
    where('status', '=', TRANSITIONS.claim.from),
    where.or([where('dueAt', '<=', timeIn()), where('dueAt', '>', timeIn(MAX_RETRY_DELAY_MS))]),
  ]);

export const isLapsed = (where: Where, timeIn: TimeIn): Condition =>
  where.and([where('status', '=', TRANSITIONS.takeOver.from), where('leaseUntil', '<', timeIn())]);

/** The sequence of the job that is next, if there is one. */
export function nextJob(db: Kysely<Schema>, timeIn: TimeIn) {
  return db
    .selectFrom('job')
    .select('sequence')
    .where((where) => where.or([isDue(where, timeIn), isLapsed(where, timeIn)]))
    .orderBy('priority')
    .orderBy((job) => ofSameClient(job).where('other.status', '=', 'running').select(job.fn.countAll().as('running')))
    .orderBy((job) => ofSameClient(job).select((other) => other.fn.max('other.turn').as('turn')))
    .orderBy('sequence')
    .limit(1);
}

const ofSameClient = (job: Where) => job.selectFrom('job as other').whereRef('other.client', '=', 'job.client');

/** The number of the next claim. */
export function nextTurn(db: Kysely<Schema>) {
  return db.selectFrom('job').select((eb) => eb(eb.fn.coalesce(eb.fn.max('turn'), sql.lit(0)), '+', 1).as('turn'));
}

/** Whether a new job may be added: it is within the limits, or it will not be new. */
export function isWithinLimits(db: Kysely<Schema>, { variantKey, client = '' }: NewJob, limits: QueueLimits) {
  const jobs = db.selectFrom('job');
  const count = jobs.select((eb) => eb.fn.countAll<number>().as('count'));
  const pending = count.where('status', '=', 'pending');
  const ofClient = count.where('client', '=', client).where('status', 'in', ['pending', 'running']);
  const open = jobs
    .select('sequence')
    .where('variantKey', '=', variantKey)
    .where(sql.ref('status'), '<>', sql.lit('completed'));
  return ({ and, or, exists, lit, val }: ExpressionBuilder<Schema, never>) =>
    or([
      exists(open),
      and([
        sql<SqlBool>`${pending} < ${val(limits.pending)}`,
        client === '' ? lit(true) : sql<SqlBool>`${ofClient} < ${val(limits.ofClient)}`,
      ]),
    ]);
}
