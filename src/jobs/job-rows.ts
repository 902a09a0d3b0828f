import type { Selectable } from 'kysely';
import type { JobRow } from '../db/schema.ts';
import type { StoragePath } from '../path.ts';
import type { ClaimedJob, Job } from './job.ts';

type Row = Selectable<JobRow>;

export function readOne(row: Row | undefined): Job | undefined {
  return row && readRow(row);
}

export function readClaim(row: Row): ClaimedJob {
  return { ...readRow(row), lease: row.lease ?? '' };
}

export function readRow(row: Row): Job {
  return {
    id: row.id,
    space: row.space,
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
    trouble: row.trouble ?? undefined,
  };
}

function readTime(text: string | null): Date | undefined {
  return text === null ? undefined : new Date(text);
}
