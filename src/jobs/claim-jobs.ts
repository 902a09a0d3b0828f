import {
  type ExpressionBuilder,
  type ExpressionWrapper,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely';
import type { TimeIn } from '../db/clock.ts';
import { isPostgres } from '../db/dialect.ts';
import { inTransaction, lockUntilEnd } from '../db/locks.ts';
import type { JobRow, Schema } from '../db/schema.ts';
import { COMMIT_LATER, type LeaseTable } from '../queue/lease-table.ts';
import { ladderOf } from '../video/stream-options.ts';
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
  /** Maximum number of claims: jobs, each with its companions. */
  count: number;
}

/** Most jobs in one claim: as many as a stream can have heights. */
const MAX_TOGETHER = 10;

/**
 * Claims the next jobs, one after the other, since each claim changes which space and client are next. Jobs of one claim have the
 * same lease: one process makes them together. On PostgreSQL claims are serialized, so that each sees the jobs that
 * others have started. A transaction of SQLite is alone anyway.
 */
export function claimJobs(db: Kysely<Schema>, leases: JobLeases, claim: Claim, timeIn: TimeIn): Promise<Row[]> {
  return inTransaction(db, async (transaction) => {
    if (isPostgres(transaction)) await sql`select ${COMMIT_LATER}`.execute(transaction);
    await lockUntilEnd(transaction, 'claim jobs');
    const rows: Row[] = [];
    for (let claims = 0; claims < claim.count; claims++) {
      const claimed = await claimNext(transaction, leases, claim, timeIn);
      if (claimed.length === 0) break;
      rows.push(...claimed);
    }
    return rows;
  });
}

async function claimNext(db: Kysely<Schema>, leases: JobLeases, { leaseMs }: Claim, timeIn: TimeIn): Promise<Row[]> {
  const next = await findNext(db, leases);
  if (!next) return [];
  const hasLostLease = next.status === TRANSITIONS.takeOver.from;
  const sequences = [next.sequence, ...(await findCompanions(db, leases, next))];
  return leases.take(db, sequences, leaseMs, {
    status: TRANSITIONS.claim.to,
    startedAt: timeIn(),
    progress: 0,
    trouble: null,
    turn: sql<number>`(select coalesce(max(turn), 0) + 1 from job)`,
    lostLeases: next.lostLeases + (hasLostLease ? 1 : 0),
  });
}

type NextJob = Pick<
  Row,
  'sequence' | 'space' | 'path' | 'version' | 'transformation' | 'priority' | 'status' | 'attempts' | 'lostLeases'
>;

async function findNext(db: Kysely<Schema>, leases: JobLeases): Promise<NextJob | undefined> {
  const spaces = (await nextSpaces(leases).execute(db)).rows;
  for (const { space } of spaces) {
    const [next] = (await nextJob(db, leases, space).execute(db)).rows;
    if (next) return next;
    // On PostgreSQL its jobs are being changed at this moment.
  }
  return undefined;
}

/**
 * Finds the other renditions of a ladder that wait for the same video in the same space. The first rendition of a ladder is claimed
 * alone, so that it can be played early. A job that has failed or lost its lease is claimed alone too, so that no other
 * suffers from it.
 * @returns their sequences
 */
async function findCompanions(db: Kysely<Schema>, leases: JobLeases, next: NextJob): Promise<number[]> {
  const ladder = ladderOf(next.transformation);
  if (ladder === undefined || !isFresh(next)) return [];
  const found = await db
    .selectFrom('job')
    .select(['sequence', 'transformation', 'status', 'attempts', 'lostLeases'])
    .where('path', '=', next.path)
    .where('version', '=', next.version)
    .orderBy('sequence')
    .execute();
  // The latest job of each rendition: earlier ones made files that are gone.
  const renditions = new Map(found.map((job) => [job.transformation, job]));
  renditions.delete(next.transformation);
  const siblings = [...renditions.values()].filter(({ transformation }) => ladderOf(transformation) === ladder);
  if (!siblings.some(({ status }) => status !== 'pending' && status !== 'cancelled')) return [];
  const fresh = siblings.filter(isFresh).map(({ sequence }) => sequence);
  if (fresh.length === 0) return [];
  const rows = await db
    .selectFrom('job')
    .select('sequence')
    .where('sequence', 'in', fresh)
    .where('status', '=', TRANSITIONS.claim.from)
    .where('space', '=', next.space)
    .where('priority', '=', next.priority)
    .where(leases.isDue())
    .orderBy('sequence')
    .limit(MAX_TOGETHER - 1)
    .$if(isPostgres(db), (free) => free.forUpdate().skipLocked())
    .execute();
  return rows.map(({ sequence }) => sequence);
}

/** True for a pending job that no attempt was made at. */
function isFresh({ status, attempts, lostLeases }: Pick<Row, 'status' | 'attempts' | 'lostLeases'>): boolean {
  return status === TRANSITIONS.claim.from && attempts === 0 && lostLeases === 0;
}

/**
 * Selects the spaces with jobs that can be claimed, the next one first: that with the fewest running jobs, then the one
 * served longest ago, whatever the priorities of their jobs. So none holds more than half of the workers while another
 * one waits. The library is one of them, with an empty name. The index is read once for each space.
 */
function nextSpaces(leases: JobLeases): RawBuilder<{ space: string }> {
  const ofSpace = sql`from job where job.space = space_of_jobs.space`;
  const pending = sql`job.status = ${sql.lit(TRANSITIONS.claim.from)}`;
  const running = sql`job.status = ${sql.lit(TRANSITIONS.takeOver.from)}`;
  return sql<{ space: string }>`
    with recursive space_of_jobs as (
      select min(space) as space from job
      union all
      select (select min(space) from job where job.space > space_of_jobs.space) from space_of_jobs where space is not null
    )
    select space from space_of_jobs
    where space is not null and (
      exists (select 1 ${ofSpace} and ${pending} and ${leases.isDue()})
      or exists (select 1 ${ofSpace} and ${running} and ${leases.isExpired()})
    )
    order by
      (select count(*) ${ofSpace} and ${running}),
      (select max(turn) ${ofSpace}),
      (select min(sequence) ${ofSpace} and ${pending}),
      space
  `;
}

/**
 * Selects the next job of a space, if there is one, out of the oldest of each client: there may be a hundred thousand
 * jobs of a few clients. PostgreSQL skips jobs that are being changed concurrently. It checks only the last condition again on
 * the row that it has locked, which may have changed since the statement began.
 */
function nextJob(db: Kysely<Schema>, leases: JobLeases, space: string): RawBuilder<NextJob> {
  const pending = sql`job.space = ${space} and job.status = ${sql.lit(TRANSITIONS.claim.from)}`;
  const isLost = sql`job.space = ${space} and job.status = ${sql.lit(TRANSITIONS.takeOver.from)} and ${leases.isExpired()}`;
  const priority = sql`(select priority from highest)`;
  const ofClients = sql`from job where ${pending} and job.priority = ${priority}`;
  return sql<NextJob>`
    with recursive highest as (
      select min(priority) as priority from (
        select * from (
          select priority from job where ${pending} and ${leases.isDue()} order by priority limit 1
        ) as due
        union all
        select priority from job where ${isLost}
      ) as claimable
    ), waiting as (
      select min(client) as client ${ofClients}
      union all
      select (select min(client) ${ofClients} and job.client > waiting.client) from waiting where client is not null
    ), candidate as (
      select client, (
        select sequence ${ofClients} and job.client = waiting.client and ${leases.isDue()} order by sequence limit 1
      ) as sequence
      from waiting where client is not null
      union all
      select client, min(sequence) from job where ${isLost} and job.priority = ${priority} group by client
    )
    select job.sequence, job.space, job.path, job.version, job.transformation, job.priority, job.status, job.attempts, job."lostLeases"
    from candidate join job on job.sequence = candidate.sequence
    where (${pending} and ${leases.isDue()}) or (${isLost})
    order by
      (select count(*) from job as own where own.space = ${space} and own.client = candidate.client and own.status = 'running'),
      (select max(turn) from job as own where own.space = ${space} and own.client = candidate.client),
      job.sequence
    limit 1 ${isPostgres(db) ? sql`for update of job skip locked` : sql``}
  `;
}
