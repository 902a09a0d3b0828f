import { randomUUID } from 'node:crypto';
import {
  type ExpressionBuilder,
  type ExpressionWrapper,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely';
import type { TimeIn } from '../../db/clock.ts';
import { isPostgres } from '../../db/dialect.ts';
import { lockUntilEnd } from '../../db/locks.ts';
import type { JobRow, Schema } from '../../db/schema.ts';
import { MAX_RETRY_DELAY_MS, TRANSITIONS } from '../job.ts';

/** A builder of conditions on jobs; times are texts, which sort as times do. */
export type Where = ExpressionBuilder<Schema, 'job'>;
type Row = Selectable<JobRow>;
type Condition = ExpressionWrapper<Schema, 'job', SqlBool>;

/** A job that is due further ahead than any job is put off was dated before the clock was set back. It counts as due. */
export const isDue = (where: Where, timeIn: TimeIn): Condition =>
  where.and([
    where('job.status', '=', TRANSITIONS.claim.from),
    where.or([where('job.dueAt', '<=', timeIn()), where('job.dueAt', '>', timeIn(MAX_RETRY_DELAY_MS))]),
  ]);

export const isLapsed = (where: Where, timeIn: TimeIn): Condition =>
  where.and([where('job.status', '=', TRANSITIONS.takeOver.from), where('job.leaseUntil', '<', timeIn())]);

/** The commit of a change need not reach the disk when it is forgotten with a crash anyway, as a lease is. */
export const COMMIT_LATER = sql<SqlBool>`set_config('synchronous_commit', 'off', true) = 'off'`;

interface Claim {
  leaseMs: number;
  /** How many jobs at most. */
  count: number;
  kinds: readonly string[];
}

/**
 * Claims the jobs that are next, one after the other, as each counts for whose turn it is. SQLite writes one statement after the other.
 * On PostgreSQL claims take turns, so that each sees whose jobs the others have begun.
 */
export async function claimJobs(db: Kysely<Schema>, claim: Claim, timeIn: TimeIn): Promise<Row[]> {
  if (!isPostgres(db)) return claimInTurn(db, claim, timeIn);
  return db.transaction().execute(async (transaction) => {
    await sql`select ${COMMIT_LATER}`.execute(transaction);
    await lockUntilEnd(transaction, 'claim jobs');
    return claimInTurn(transaction, claim, timeIn);
  });
}

async function claimInTurn(db: Kysely<Schema>, { count, ...claim }: Claim, timeIn: TimeIn): Promise<Row[]> {
  const rows: Row[] = [];
  while (rows.length < count) {
    const row = await claimNext(db, claim, timeIn);
    if (!row) break;
    rows.push(row);
  }
  return rows;
}

function claimNext(
  db: Kysely<Schema>,
  { leaseMs, kinds }: Omit<Claim, 'count'>,
  timeIn: TimeIn,
): Promise<Row | undefined> {
  const claim = db.updateTable('job').set((eb) => ({
    status: TRANSITIONS.claim.to,
    lease: randomUUID(),
    leaseUntil: timeIn(leaseMs),
    startedAt: timeIn(),
    progress: 0,
    trouble: null,
    turn: nextTurn(db),
    // A job that is running here was lost by another worker.
    lostLeases: eb
      .case()
      .when('status', '=', TRANSITIONS.takeOver.from)
      .then(eb('lostLeases', '+', 1))
      .else(eb.ref('lostLeases'))
      .end(),
  }));
  return claim
    .where('sequence', '=', nextJob(db, timeIn, kinds))
    .returningAll()
    .executeTakeFirst();
}

/**
 * The sequence of the job that is next, if there is one. PostgreSQL leaves out jobs that are being changed at the same moment. What a
 * client has is counted once for each client, not for each of its jobs, which may be thousands.
 */
function nextJob(db: Kysely<Schema>, timeIn: TimeIn, kinds: readonly string[]) {
  const isClaimable = (where: Where) =>
    where.and([where('job.kind', 'in', kinds), where.or([isDue(where, timeIn), isLapsed(where, timeIn)])]);
  // As an expression, because SQLite would go by the clients otherwise and read all jobs that they ever had.
  const client = sql<string>`job.client || ''`;
  const waiting = db.selectFrom('job').select(client.as('client')).distinct().where(isClaimable).as('waiting');
  const clients = db.selectFrom(waiting).select((eb) => {
    const own = eb.selectFrom('job as own').whereRef('own.client', '=', 'waiting.client');
    const running = own.where('own.status', '=', 'running').select((job) => job.fn.countAll().as('running'));
    const turn = own.select((job) => job.fn.max('own.turn').as('turn'));
    return ['waiting.client', running.as('running'), turn.as('turn')];
  });
  return db
    .with(
      // Otherwise PostgreSQL would count for each job all the same.
      (asker) => asker('asker').materialized(),
      () => clients,
    )
    .selectFrom('job')
    .innerJoin('asker', (join) => join.on('asker.client', '=', client))
    .select('job.sequence')
    .where(isClaimable)
    .orderBy('job.priority')
    .orderBy('asker.running')
    .orderBy('asker.turn')
    .orderBy('job.sequence')
    .limit(1)
    .$if(isPostgres(db), (next) => next.forUpdate('job').skipLocked());
}

/** The number of the next claim. */
function nextTurn(db: Kysely<Schema>) {
  return db.selectFrom('job').select((eb) => eb(eb.fn.coalesce(eb.fn.max('turn'), sql.lit(0)), '+', 1).as('turn'));
}
