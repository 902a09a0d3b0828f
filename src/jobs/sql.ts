import { randomUUID } from 'node:crypto';
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import type { JobRow, Schema } from '../db/schema.ts';
import type { StoragePath } from '../path.ts';
import { type ClaimedJob, JOB_STATUSES, type Job, type JobStatus, TRANSITIONS } from './job.ts';
import type { HeldJob, JobStore } from './job-store.ts';

type Row = Selectable<JobRow>;

const HOUR_MS = 3_600_000;
const FREE = { lease: null, leaseUntil: null } as const;

/**
 * Jobs in a database. Each method is one statement, which the database makes atomic, also between processes.
 * @param now milliseconds since 1970
 */
export function createSqlJobStore(db: Kysely<Schema>, now: () => number = Date.now): JobStore {
  const time = (offsetMs = 0) => new Date(now() + offsetMs).toISOString();

  const held = ({ id, lease }: HeldJob) =>
    db
      .updateTable('job')
      .where('id', '=', id)
      .where('lease', '=', lease)
      .where('status', '=', 'running')
      .returningAll();

  const ended = (status: JobStatus) => ({ ...FREE, status, completedAt: time() });

  return {
    async add(job) {
      const id = randomUUID();
      const row = await db
        .insertInto('job')
        .values({
          ...job,
          ...FREE,
          id,
          status: 'pending',
          progress: 0,
          attempts: 0,
          lostLeases: 0,
          dueAt: time(),
          createdAt: time(),
        })
        .onConflict((conflict) =>
          conflict.column('variantKey').where(sql.ref('status'), '<>', sql.lit('completed')).doUpdateSet({
            priority: sql`case when excluded.priority < job.priority then excluded.priority else job.priority end`,
          }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return { job: readRow(row), isNew: row.id === id };
    },

    async claim(leaseMs) {
      const row = await db
        .updateTable('job')
        .set((eb) => ({
          status: TRANSITIONS.claim.to,
          lease: randomUUID(),
          leaseUntil: time(leaseMs),
          startedAt: time(),
          progress: 0,
          // Whatever is running here was lost by somebody.
          lostLeases: eb
            .case()
            .when('status', '=', TRANSITIONS.takeOver.from)
            .then(eb('lostLeases', '+', 1))
            .else(eb.ref('lostLeases'))
            .end(),
        }))
        .where('sequence', '=', (eb) =>
          eb
            .selectFrom('job')
            .select('sequence')
            .where((where) => where.or([isDue(where, time()), isLapsed(where, time())]))
            .orderBy('priority')
            .orderBy('sequence')
            .limit(1),
        )
        .returningAll()
        .executeTakeFirst();
      return row && readClaim(row);
    },

    async renew(job, leaseMs, progress = 0) {
      const row = await held(job)
        .set((eb) => ({
          leaseUntil: time(leaseMs),
          progress: eb.case().when('progress', '<', progress).then(progress).else(eb.ref('progress')).end(),
        }))
        .executeTakeFirst();
      return row !== undefined;
    },

    async complete(job) {
      return readOne(
        await held(job)
          .set({ ...ended(TRANSITIONS.complete.to), progress: 100 })
          .executeTakeFirst(),
      );
    },

    async fail(job, reason, retryInMs) {
      const next =
        retryInMs === undefined
          ? { ...ended(TRANSITIONS.fail.to), error: reason }
          : { ...FREE, status: TRANSITIONS.retryLater.to, progress: 0, startedAt: null, dueAt: time(retryInMs) };
      const attempt = held(job).set((eb) => ({ ...next, attempts: eb('attempts', '+', 1) }));
      return readOne(await attempt.executeTakeFirst());
    },

    async release(job) {
      const back = { ...FREE, status: TRANSITIONS.release.to, progress: 0, startedAt: null };
      return readOne(await held(job).set(back).executeTakeFirst());
    },

    async failLost(maxLosses, reason) {
      const rows = await db
        .updateTable('job')
        .set({ ...ended(TRANSITIONS.fail.to), error: reason })
        .where((where) => isLapsed(where, time()))
        .where('lostLeases', '>=', maxLosses)
        .returningAll()
        .execute();
      return rows.map(readRow);
    },

    async cancel(id) {
      const { from, to } = TRANSITIONS.cancel;
      const one = db.updateTable('job').set(ended(to)).where('id', '=', id).where('status', '=', from);
      return readOne(await one.returningAll().executeTakeFirst());
    },

    async retry(id) {
      const { from, to } = TRANSITIONS.retry;
      const fresh = { progress: 0, attempts: 0, lostLeases: 0, startedAt: null, completedAt: null, error: null };
      const one = db.updateTable('job').set({ ...fresh, status: to, dueAt: time() });
      return readOne(await one.where('id', '=', id).where('status', '=', from).returningAll().executeTakeFirst());
    },

    async remove(id) {
      return readOne(await db.deleteFrom('job').where('id', '=', id).returningAll().executeTakeFirst());
    },

    async removeWithin(path) {
      const rows = await db
        .deleteFrom('job')
        .where((where) => isWithin(where, path))
        .returningAll()
        .execute();
      return rows.map(readRow);
    },

    async removeFinished(ageMs) {
      const { numDeletedRows } = await db.deleteFrom('job').where('completedAt', '<', time(-ageMs)).executeTakeFirst();
      return Number(numDeletedRows);
    },

    async find(id) {
      return readOne(await db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst());
    },

    async newestOfVariant(variantKey) {
      const newest = db.selectFrom('job').selectAll().where('variantKey', '=', variantKey);
      return readOne(await newest.orderBy('sequence', 'desc').limit(1).executeTakeFirst());
    },

    async newestOfPath(path) {
      const newest = db.selectFrom('job').selectAll().where('path', '=', path);
      return readOne(await newest.orderBy('sequence', 'desc').limit(1).executeTakeFirst());
    },

    async list({ limit, offset, status }) {
      const matching = status ? db.selectFrom('job').where('status', '=', status) : db.selectFrom('job');
      const page = matching.selectAll().orderBy('sequence', 'desc').limit(limit).offset(offset);
      const [rows, total] = await Promise.all([
        page.execute(),
        matching.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
      ]);
      return { jobs: rows.map(readRow), total: Number(total.count) };
    },

    async counts() {
      const query = db.selectFrom('job').select((eb) => ['status', eb.fn.countAll<number>().as('count')]);
      const rows = await query.groupBy('status').execute();
      const counts = Object.fromEntries(JOB_STATUSES.map((status) => [status, 0])) as Record<JobStatus, number>;
      for (const { status, count } of rows) counts[status] = Number(count);
      return counts;
    },

    async throughput() {
      const recent = db.selectFrom('job').select(['startedAt', 'completedAt']).where('status', '=', 'completed');
      const rows = await recent.where('completedAt', '>=', time(-HOUR_MS)).execute();
      const durations = rows.map((row) => Date.parse(row.completedAt ?? '') - Date.parse(row.startedAt ?? ''));
      const sum = durations.reduce((total, duration) => total + duration, 0);
      return {
        completedLastHour: rows.length,
        averageDurationMs: rows.length === 0 ? undefined : Math.round(sum / rows.length),
      };
    },
  };
}

type Where = ExpressionBuilder<Schema, 'job'>;

const isDue = (where: Where, time: string) =>
  where.and([where('status', '=', TRANSITIONS.claim.from), where('dueAt', '<=', time)]);

const isLapsed = (where: Where, time: string) =>
  where.and([where('status', '=', TRANSITIONS.takeOver.from), where('leaseUntil', '<', time)]);

/** SQLite counts characters, JavaScript UTF-16 units: the length is asked of the database. */
function isWithin(where: Where, path: StoragePath) {
  if (path === '') return where.lit(true);
  const prefix = where.val(`${path}/`);
  const start = where.fn('substr', ['path', where.lit(1), where.fn('length', [prefix])]);
  return where.or([where('path', '=', path), where(start, '=', prefix)]);
}

function readOne(row: Row | undefined): Job | undefined {
  return row && readRow(row);
}

function readClaim(row: Row): ClaimedJob {
  return { ...readRow(row), lease: row.lease ?? '' };
}

function readRow(row: Row): Job {
  return {
    id: row.id,
    path: row.path as StoragePath,
    variantKey: row.variantKey,
    transformation: row.transformation,
    version: row.version,
    priority: row.priority,
    status: row.status,
    progress: row.progress,
    attempts: row.attempts,
    createdAt: new Date(row.createdAt),
    startedAt: readTime(row.startedAt),
    completedAt: readTime(row.completedAt),
    error: row.error ?? undefined,
  };
}

function readTime(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
