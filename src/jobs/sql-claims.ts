import { type ExpressionBuilder, type ExpressionWrapper, type Kysely, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../db/dialect.ts';
import type { Schema } from '../db/schema.ts';
import { MAX_RETRY_DELAY_MS, TRANSITIONS } from './job.ts';
import type { TimeIn } from './sql-time.ts';

/** A builder of conditions on jobs; times are texts, which sort as times do. */
export type Where = ExpressionBuilder<Schema, 'job'>;
type Condition = ExpressionWrapper<Schema, 'job', SqlBool>;

/** A job that is due further ahead than any job is put off was dated before the clock was set back. It counts as due. */
export const isDue = (where: Where, timeIn: TimeIn): Condition =>
  where.and([
    where('status', '=', TRANSITIONS.claim.from),
    where.or([where('dueAt', '<=', timeIn()), where('dueAt', '>', timeIn(MAX_RETRY_DELAY_MS))]),
  ]);

export const isLapsed = (where: Where, timeIn: TimeIn): Condition =>
  where.and([where('status', '=', TRANSITIONS.takeOver.from), where('leaseUntil', '<', timeIn())]);

/**
 * The sequence of the job of these kinds that is next, if there is one. PostgreSQL leaves out jobs that another claim is taking at
 * the same moment. Claims at the same moment do not see one another's jobs run, so they are fair as if neither had come first.
 */
export function nextJob(db: Kysely<Schema>, timeIn: TimeIn, kinds: readonly string[]) {
  return db
    .selectFrom('job')
    .select('sequence')
    .where('kind', 'in', kinds)
    .where((where) => where.or([isDue(where, timeIn), isLapsed(where, timeIn)]))
    .orderBy('priority')
    .orderBy((job) => ofSameClient(job).where('other.status', '=', 'running').select(job.fn.countAll().as('running')))
    .orderBy((job) => ofSameClient(job).select((other) => other.fn.max('other.turn').as('turn')))
    .orderBy('sequence')
    .limit(1)
    .$if(isPostgres(db), (next) => next.forUpdate('job').skipLocked());
}

const ofSameClient = (job: Where) => job.selectFrom('job as other').whereRef('other.client', '=', 'job.client');

/** The number of the next claim. Where claims at the same moment get the same one, the older job of theirs goes first. */
export function nextTurn(db: Kysely<Schema>) {
  return db.selectFrom('job').select((eb) => eb(eb.fn.coalesce(eb.fn.max('turn'), sql.lit(0)), '+', 1).as('turn'));
}
