import type { SelectQueryBuilder } from 'kysely';
import type { TimeIn } from '../db/clock.ts';
import type { Schema } from '../db/schema.ts';
import type { Throughput } from './job-store.ts';

const HOUR_MS = 3_600_000;

/** @param jobs the jobs to read */
export async function readThroughput(
  jobs: SelectQueryBuilder<Schema, 'job', object>,
  time: TimeIn,
): Promise<Throughput> {
  const recent = jobs.select(['startedAt', 'completedAt']).where('status', '=', 'completed');
  const rows = await recent.where('completedAt', '>=', time(-HOUR_MS)).execute();
  // Never negative, even when the clock was set back in between.
  const durations = rows.map((row) => Math.max(0, Date.parse(row.completedAt ?? '') - Date.parse(row.startedAt ?? '')));
  const sum = durations.reduce((total, duration) => total + duration, 0);
  return {
    completedLastHour: rows.length,
    averageDurationMs: rows.length === 0 ? undefined : Math.round(sum / rows.length),
  };
}
