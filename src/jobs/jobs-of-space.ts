import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '../db/schema.ts';
import { JOB_STATUSES, type Job, type JobPage, type JobStatus } from './job.ts';
import { readRow } from './job-rows.ts';

/**
 * Lists the jobs of a space, the newest first. Of each state, the index has them in their order; reading the newest of
 * each sorts at most five pages.
 */
export async function listOfSpace(
  db: Kysely<Schema>,
  space: string,
  { limit, offset, status, path }: Omit<JobPage, 'space'>,
): Promise<{ jobs: Job[]; total: number }> {
  const own = db.selectFrom('job').where('space', '=', space);
  if (path !== undefined) {
    const matching = own
      .where('path', '=', path)
      .$if(status !== undefined, (all) => all.where('status', '=', status as JobStatus));
    const page = matching.selectAll().orderBy('sequence', 'desc').limit(limit).offset(offset);
    const [rows, total] = await Promise.all([page.execute(), countOf(matching)]);
    return { jobs: rows.map(readRow), total };
  }
  const statuses = status === undefined ? JOB_STATUSES : [status];
  const counts = await countsOfSpace(db, space);
  const total = counts.reduce((sum, one) => sum + (statuses.includes(one.status) ? Number(one.count) : 0), 0);
  const newest = statuses.map(
    (one) => sql`select * from (
      select sequence from job where space = ${space} and status = ${one} order by sequence desc limit ${limit + offset}
    ) as newest`,
  );
  const rows = await db
    .selectFrom('job')
    .selectAll()
    .where(
      'sequence',
      'in',
      sql<number>`(
      select sequence from (${sql.join(newest, sql` union all `)}) as listed
      order by sequence desc limit ${limit} offset ${offset}
    )`,
    )
    .orderBy('sequence', 'desc')
    .execute();
  return { jobs: rows.map(readRow), total };
}

/** Counts the jobs of a space by state, in the index alone. */
export function countsOfSpace(db: Kysely<Schema>, space: string): Promise<{ status: JobStatus; count: number }[]> {
  return db
    .selectFrom('job')
    .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
    .where('space', '=', space)
    .groupBy('status')
    .execute();
}

export async function countOf(jobs: SelectQueryBuilder<Schema, 'job', object>): Promise<number> {
  const { count } = await jobs.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return Number(count);
}
