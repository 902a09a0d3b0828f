import { type Kysely, type SqlBool, sql } from 'kysely';
import { clockOf, type TimeIn } from '../db/clock.ts';
import { isPostgres } from '../db/dialect.ts';
import type { Schema } from '../db/schema.ts';
import type { StoragePath } from '../path.ts';
import { LeaseTable, type Values } from '../queue/lease-table.ts';
import { addJobs } from './add-job.ts';
import { claimJobs, isClaimable, type JobLeases, type Where } from './claim-jobs.ts';
import { type EndJobs, endJobs, type OnEnd } from './end-jobs.ts';
import {
  type AddedJob,
  type ClaimedJob,
  type HeldJob,
  JOB_STATUSES,
  type Job,
  type JobPage,
  type JobStatus,
  MAX_RETRY_DELAY_MS,
  type NewJob,
  type QueueLimits,
  type Throughput,
  TRANSITIONS,
} from './job.ts';
import { readClaim, readOne, readRow } from './job-rows.ts';
import { countOf, countsOfSpace, listOfSpace } from './jobs-of-space.ts';

const FREE = { lease: null, leaseUntil: null } as const;
/** Fields of a job whose next attempt has not begun. */
const FRESH = { progress: 0, startedAt: null } as const;
const HOUR_MS = 3_600_000;
/** States in which jobs have an end. */
const ENDED = ['completed', 'error', 'cancelled'] as const satisfies readonly JobStatus[];
const JOBS = sql<number>`cast(coalesce(sum(jobs), 0) as bigint)`;
/** More than there will ever be. */
const MANY = Number.MAX_SAFE_INTEGER;
const BOUNDLESS: QueueLimits = { pending: MANY, reserved: 0, ofClient: MANY };

/**
 * Stores jobs in a database. Each method is one statement or one transaction, which the database makes atomic, also
 * between processes. A change that a job's present state does not allow changes nothing and returns undefined or false.
 */
export class SqlJobStore {
  readonly #db: Kysely<Schema>;
  readonly #time: TimeIn;
  readonly #leases: JobLeases;
  readonly #ending: (status: JobStatus, end: EndJobs) => Promise<Job[]>;

  /** @param now Unix ms, instead of the clock of the database */
  constructor(db: Kysely<Schema>, now?: () => number, onEnd?: OnEnd) {
    this.#ending = (status, end) => endJobs(db, onEnd, status, end);
    this.#db = db;
    this.#time = clockOf(db, now);
    this.#leases = new LeaseTable(db, 'job', { time: this.#time, maxWaitMs: MAX_RETRY_DELAY_MS });
  }

  /**
   * Adds a pending job, if the limits allow it. A variant has at most one job that is not completed. An existing one,
   * in any state, is returned, and its priority is raised to the new one's if that is higher. It becomes one of the
   * space that requests it too.
   */
  async add(job: NewJob): Promise<{ job: Job; isNew: boolean }>;
  async add(job: NewJob, limits: QueueLimits): Promise<AddedJob>;
  async add(job: NewJob, limits = BOUNDLESS): Promise<AddedJob> {
    const [added] = await this.addAll([job], limits);
    return added as AddedJob;
  }

  /** Adds pending jobs as `add` does, one after the other; workers see all of them from the same moment. */
  async addAll(jobs: readonly NewJob[], limits: QueueLimits): Promise<AddedJob[]> {
    const added = await addJobs(this.#db, jobs, limits, this.#time);
    return added.map((one) => ('refusal' in one ? one : { job: readRow(one.row), isNew: one.isNew }));
  }

  /**
   * Claims the next jobs: pending ones that are due, and running ones whose lease expired. Next is the space with the
   * fewest running jobs, then the one served longest ago; the library counts as a space. Its jobs go by priority; then
   * comes the client with the fewest running jobs, then the one served longest ago; of one client's jobs the oldest
   * goes first. The caller holds the jobs for `leaseMs`. Renditions of a stream may come with the next one, all with
   * its lease, to be made together.
   * @param count capacity of the caller
   */
  async claim(leaseMs: number, count: number): Promise<ClaimedJob[]> {
    const rows = await claimJobs(this.#db, this.#leases, { leaseMs, count }, this.#time);
    return rows.map(readClaim);
  }

  /** Returns the time until the next job can be claimed, in ms; undefined if none is pending or running. */
  nextDueIn(): Promise<number | undefined> {
    return this.#leases.nextDueIn(sql`status in ('pending', 'running')`);
  }

  /**
   * Extends a lease by `leaseMs`; progress never falls. Returns false when the caller has lost the job and must stop.
   */
  async renew(job: HeldJob, leaseMs: number, progress = 0): Promise<boolean> {
    const highest = sql<number>`case when progress < ${progress} then ${progress} else progress end`;
    return (await this.#leases.renew([job], leaseMs, { progress: highest })).length > 0;
  }

  async complete(job: HeldJob): Promise<Job | undefined> {
    const { to } = TRANSITIONS.complete;
    const values = { ...this.#ended(to), progress: 100 };
    const jobs = await this.#ending(to, (db) => this.#leases.release([job], values, db));
    return jobs[0];
  }

  /** Records a failed attempt. With `retryInMs` the job becomes pending and due then, otherwise it ends in `error`. */
  async fail(job: HeldJob, reason: string, retryInMs?: number): Promise<Job | undefined> {
    const attempts = sql<number>`attempts + 1`;
    if (retryInMs !== undefined) {
      const values = { ...FRESH, status: TRANSITIONS.retryLater.to, attempts };
      const [row] = await this.#leases.reschedule([job], retryInMs, values);
      return readOne(row);
    }
    const values = { ...this.#ended(TRANSITIONS.fail.to), error: storable(reason), attempts };
    const jobs = await this.#ending(TRANSITIONS.fail.to, (db) => this.#leases.release([job], values, db));
    return jobs[0];
  }

  /** Defers the job: pending, and due later, with the transient failure as the reason. No attempt is counted. */
  async defer(job: HeldJob, trouble: string, inMs: number): Promise<Job | undefined> {
    const values = { ...FRESH, status: TRANSITIONS.defer.to, trouble: storable(trouble) };
    const [row] = await this.#leases.reschedule([job], inMs, values);
    return readOne(row);
  }

  /** Returns the job to the queue as if it had never been claimed. */
  async release(job: HeldJob): Promise<Job | undefined> {
    const [row] = await this.#leases.release([job], { ...FRESH, status: TRANSITIONS.release.to });
    return readOne(row);
  }

  /**
   * Ends jobs in `error` whose lease has expired now, and was lost `maxLosses` times before: they seem to kill every
   * process that runs them.
   */
  failLost(maxLosses: number, reason: string): Promise<Job[]> {
    const { to } = TRANSITIONS.fail;
    return this.#ending(to, (db) =>
      db
        .updateTable('job')
        .set({ ...FREE, ...this.#ended(to), error: reason })
        .where('status', '=', TRANSITIONS.takeOver.from)
        .where(this.#leases.isExpired())
        .where('lostLeases', '>=', maxLosses)
        .returningAll()
        .execute(),
    );
  }

  /** Ends all pending and running jobs of a space in `error`. Their workers detect that with `renew`. */
  failAll(space: string, reason: string): Promise<Job[]> {
    const { abandon, fail } = TRANSITIONS;
    return this.#ending(fail.to, (db) =>
      db
        .updateTable('job')
        .set({ ...FREE, ...this.#ended(fail.to), error: storable(reason) })
        .where('space', '=', space)
        .where('status', 'in', [abandon.from, fail.from])
        .returningAll()
        .execute(),
    );
  }

  /** Shortens leases that last longer than `leaseMs`: they were dated before the clock was set back. */
  shortenLeases(leaseMs: number): Promise<void> {
    return this.#leases.shortenLeases(sql`status = 'running'`, leaseMs);
  }

  /** Cancels a job, only if it is pending. @param space restricts this to its jobs */
  async cancel(id: string, space?: string): Promise<Job | undefined> {
    const { from, to } = TRANSITIONS.cancel;
    const one = this.#db.updateTable('job').set(this.#ended(to)).where('id', '=', id).where('status', '=', from);
    return readOne(await one.where(isOf(space)).returningAll().executeTakeFirst());
  }

  /** Makes a job in `error` pending again; its attempts count from 0. @param space restricts this to its jobs */
  async retry(id: string, space?: string): Promise<Job | undefined> {
    return (await this.retryAll([id], space))[0];
  }

  /** Makes those of the jobs pending again that are in `error`. @param space restricts this to its jobs */
  async retryAll(ids: readonly string[], space?: string): Promise<Job[]> {
    const { from, to } = TRANSITIONS.retry;
    const fresh = { ...FRESH, attempts: 0, lostLeases: 0, completedAt: null, error: null };
    const jobs = this.#db.updateTable('job').set({ ...fresh, status: to, dueAt: this.#time() });
    const failed = jobs.where('id', 'in', ids).where('status', '=', from).where(isOf(space));
    return (await failed.returningAll().execute()).map(readRow);
  }

  /** Removes a job in any state. Its worker detects that with `renew`. @param space restricts this to its jobs */
  async remove(id: string, space?: string): Promise<Job | undefined> {
    const one = this.#db.deleteFrom('job').where('id', '=', id).where(isOf(space));
    return readOne(await one.returningAll().executeTakeFirst());
  }

  /** Removes those of the jobs that are in this state. @param space restricts this to its jobs */
  async removeAll(ids: readonly string[], status: JobStatus, space?: string): Promise<Job[]> {
    const those = this.#db.deleteFrom('job').where('id', 'in', ids).where('status', '=', status);
    return (await those.where(isOf(space)).returningAll().execute()).map(readRow);
  }

  /** Removes all jobs of an original, or of every original in a folder, of any space. */
  async removeWithin(path: StoragePath): Promise<Job[]> {
    const within = this.#db
      .selectFrom('job')
      .select('sequence')
      .where((where) => isWithin(where, path))
      // The order in which jobs are added, and their rows locked by that: PostgreSQL finds few deadlocks then.
      .orderBy('sequence')
      .$if(isPostgres(this.#db), (rows) => rows.forUpdate());
    return (await this.#db.deleteFrom('job').where('sequence', 'in', within).returningAll().execute()).map(readRow);
  }

  /**
   * Removes jobs that ended more than `ageMs` ago, or that long in the future, because the clock may have been set
   * back. Returns their number.
   */
  async removeFinished(ageMs: number): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('job')
      .where('status', 'in', ENDED)
      .where((where) =>
        where.or([where('completedAt', '<', this.#time(-ageMs)), where('completedAt', '>', this.#time(ageMs))]),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  /** Sums the counters of each status. On PostgreSQL each change adds a row. */
  async mergeCounts(): Promise<void> {
    if (!isPostgres(this.#db)) return;
    await sql`
      with gone as (delete from job_count returning *)
      insert into job_count (status, "isTrusted", jobs)
      select status, "isTrusted", sum(jobs) from gone group by 1, 2 having sum(jobs) <> 0
    `.execute(this.#db);
  }

  /** @param space restricts this to its jobs */
  async find(id: string, space?: string): Promise<Job | undefined> {
    const one = this.#db.selectFrom('job').selectAll().where('id', '=', id).where(isOf(space));
    return readOne(await one.executeTakeFirst());
  }

  /** Returns the ids of the jobs in a state, the oldest first. @param space restricts this to its jobs */
  async idsIn(status: JobStatus, space?: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('job')
      .select('id')
      .where('status', '=', status)
      .where(isOf(space))
      .orderBy('sequence')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** @param space restricts this to its jobs */
  async newestOfVariant(variantKey: string, space?: string): Promise<Job | undefined> {
    const newest = this.#db.selectFrom('job').selectAll().where('variantKey', '=', variantKey).where(isOf(space));
    return readOne(await newest.orderBy('sequence', 'desc').limit(1).executeTakeFirst());
  }

  /** @param space restricts this to its jobs */
  async newestOfPath(path: StoragePath, space?: string): Promise<Job | undefined> {
    const newest = this.#db.selectFrom('job').selectAll().where('path', '=', path).where(isOf(space));
    return readOne(await newest.orderBy('sequence', 'desc').limit(1).executeTakeFirst());
  }

  /** Lists the newest first. `total` counts all that match. */
  async list({ limit, offset, status, path, space }: JobPage): Promise<{ jobs: Job[]; total: number }> {
    if (space !== undefined) return listOfSpace(this.#db, space, { limit, offset, status, path });
    const matching = this.#db
      .selectFrom('job')
      .$if(status !== undefined, (all) => all.where('status', '=', status as JobStatus))
      .$if(path !== undefined, (all) => all.where('path', '=', path as StoragePath));
    const page = matching.selectAll().orderBy('sequence', 'desc').limit(limit).offset(offset);
    const counting = path === undefined ? this.#count(status) : countOf(matching);
    const [rows, total] = await Promise.all([page.execute(), counting]);
    return { jobs: rows.map(readRow), total };
  }

  /** @param space restricts this to its jobs, which an index counts: counters by space would cost every change */
  async counts(space?: string): Promise<Record<JobStatus, number>> {
    const rows =
      space === undefined
        ? await this.#db
            .selectFrom('job_count')
            .select(['status', JOBS.as('count')])
            .groupBy('status')
            .execute()
        : await countsOfSpace(this.#db, space);
    const counts = Object.fromEntries(JOB_STATUSES.map((status) => [status, 0])) as Record<JobStatus, number>;
    for (const { status, count } of rows) counts[status] = Number(count);
    return counts;
  }

  /** @param space restricts this to its jobs */
  async throughput(space?: string): Promise<Throughput> {
    const recent = this.#db
      .selectFrom('job')
      .where('status', '=', 'completed')
      .where('completedAt', '>=', this.#time(-HOUR_MS))
      .where(isOf(space));
    const rows = await recent.select(['startedAt', 'completedAt']).execute();
    const durations = rows.map(({ startedAt, completedAt }) =>
      // Never negative, even when the clock was set back in between.
      Math.max(0, Date.parse(completedAt ?? '') - Date.parse(startedAt ?? '')),
    );
    const sum = durations.reduce((total, duration) => total + duration, 0);
    return {
      completedLastHour: rows.length,
      averageDurationMs: rows.length === 0 ? undefined : Math.round(sum / rows.length),
    };
  }

  /** Returns the longest waiting time of a due job, in ms; undefined when none is due. */
  async oldestDueMs(): Promise<number | undefined> {
    const due = this.#db.selectFrom('job').where((where) => isClaimable(where, this.#leases));
    const { since, now } = await due
      .select((eb) => [
        eb.fn
          .min(eb.case().when('status', '=', 'pending').then(eb.ref('dueAt')).else(eb.ref('leaseUntil')).end())
          .as('since'),
        this.#time().as('now'),
      ])
      .executeTakeFirstOrThrow();
    return since === null ? undefined : Math.max(0, Date.parse(now) - Date.parse(since));
  }

  /** Adds up the counters of a status, or of all. */
  async #count(status: JobStatus | undefined): Promise<number> {
    const all = this.#db.selectFrom('job_count').select(JOBS.as('count'));
    const counted = status === undefined ? all : all.where('status', '=', status);
    return (await counted.executeTakeFirstOrThrow()).count;
  }

  #ended(status: JobStatus): Values<'job'> {
    return { status, trouble: null, completedAt: this.#time() };
  }
}

/** True for the jobs of a space; without one, for all. */
const isOf = (space: string | undefined) => (space === undefined ? sql<SqlBool>`true` : sql<SqlBool>`space = ${space}`);

/** Program output may have characters that PostgreSQL cannot store. */
const storable = (text: string) => text.replaceAll('\0', '');

/** SQLite counts characters, JavaScript UTF-16 units: the database computes the length. */
function isWithin(where: Where, path: StoragePath) {
  if (path === '') return where.lit(true);
  const prefix = where.val(`${path}/`);
  const start = where.fn('substr', ['path', where.lit(1), where.fn('length', [prefix])]);
  return where.or([where('path', '=', path), where(start, '=', prefix)]);
}
