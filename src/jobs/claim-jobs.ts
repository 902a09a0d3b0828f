import {
  type ExpressionBuilder,
  type ExpressionWrapper,
  type Kysely,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely';
import type { TimeIn } from '../db/clock.ts';
import { isPostgres } from '../db/dialect.ts';
import { inTransaction, lockUntilEnd } from '../db/locks.ts';
import type { JobRow, Schema } from '../db/schema.ts';
import { COMMIT_LATER, type LeaseTable } from '../queue/lease-table.ts';
import { TRANSITIONS } from './job.ts';

/** A builder of conditions on jobs. */
export type Where = ExpressionBuilder<Schema, 'job'>;
type Row = Selectable<JobRow>;
type Condition = ExpressionWrapper<Schema, 'job', SqlBool>;

export type JobLeases = LeaseTable<'job'>;

/** True of pending jobs that are due, and of running ones whose lease has expired. */
export const isClaimable = (where: Where, leases: JobLeases): Condition =>
  where.or([
    where.and([where('job.status', '=', TRANSITIONS.claim.from), leases.isDue()]),
    where.and([where('job.status', '=', TRANSITIONS.takeOver.from), leases.isExpired()]),
  ]);

interface Claim {
  leaseMs: number;
  /** Maximum number of jobs. */
  count: number;
}

/**
 * Claims the next jobs, one after the other, since each claim changes which client is next. On PostgreSQL claims are
 * serialized, so that each sees the jobs that others have started. A transaction of SQLite is alone anyway.
 */
export function claimJobs(db: Kysely<Schema>, leases: JobLeases, claim: Claim, timeIn: TimeIn): Promise<Row[]> {
  return inTransaction(db, async (transaction) => {
    if (isPostgres(transaction)) await sql`select ${COMMIT_LATER}`.execute(transaction);
    await lockUntilEnd(transaction, 'claim jobs');
    const rows: Row[] = [];
    while (rows.length < claim.count) {
      const row = await claimNext(transaction, leases, claim, timeIn);
      if (!row) break;
      rows.push(row);
    }
    return rows;
  });
}

async function claimNext(
  db: Kysely<Schema>,
  leases: JobLeases,
  { leaseMs }: Claim,
  timeIn: TimeIn,
): Promise<Row | undefined> {
  const next = await nextJob(db, leases).executeTakeFirst();
  if (!next) return undefined;
  const hasLostLease = next.status === TRANSITIONS.takeOver.from;
  const [row] = await leases.take(db, [next.sequence], leaseMs, {
    status: TRANSITIONS.claim.to,
    startedAt: timeIn(),
    progress: 0,
    trouble: null,
    turn: sql<number>`(select coalesce(max(turn), 0) + 1 from job)`,
    lostLeases: next.lostLeases + (hasLostLease ? 1 : 0),
  });
  return row;
}

/**
 * Selects the next job, if there is one. PostgreSQL skips jobs that are being changed concurrently. The jobs of a
 * client are counted once per client, not for each of its jobs, which may be thousands.
 */
function nextJob(db: Kysely<Schema>, leases: JobLeases) {
  const isCandidate = (where: Where) => isClaimable(where, leases);
  // As an expression, because SQLite would otherwise start from the clients and read all jobs that they ever had.
  const client = sql<string>`job.client || ''`;
  const waiting = db.selectFrom('job').select(client.as('client')).distinct().where(isCandidate).as('waiting');
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
    .select(['job.sequence', 'job.status', 'job.lostLeases'])
    .where(isCandidate)
    .orderBy('job.priority')
    .orderBy('asker.running')
    .orderBy('asker.turn')
    .orderBy('job.sequence')
    .limit(1)
    .$if(isPostgres(db), (next) => next.forUpdate('job').skipLocked());
}
