import { describe, expect, test } from 'vitest';
import type { Job } from '../api/types.ts';
import { patchJobs } from './patch.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const job = (id: string, change: Partial<Job> = {}): Job =>
  ({
    id,
    filePath: 'a.mp4',
    transformation: 'w_320',
    status: 'pending',
    priority: 2,
    progress: 0,
    attempts: 0,
    createdAt: '2026-01-01T00:00:00Z',
    startedAt: null,
    completedAt: null,
    error: null,
    url: '/t/w_320/a.mp4',
    ...change,
  }) as Job;

describe('an event', () => {
  test.each([
    ['job:started', {}, { status: 'running', startedAt: '2026-06-01T00:00:00.000Z' }],
    ['job:progress', { progress: 40 }, { status: 'running', progress: 40 }],
    ['job:completed', {}, { status: 'completed', progress: 100 }],
    ['job:error', { error: 'broken' }, { status: 'error', error: 'broken' }],
    ['job:cancelled', {}, { status: 'cancelled' }],
  ] as const)('%s changes its job and no other', (type, more, expected) => {
    const [first, second] = patchJobs([job('1'), job('2')], { type, jobId: '2', ...more }, NOW) ?? [];
    expect(first).toEqual(job('1'));
    expect(second).toMatchObject(expected);
  });

  test.each(['completed', 'error', 'cancelled'] as const)(
    'that is late does not set a job to running that is %s',
    (status) => {
      const ended = [job('1', { status, progress: 70 })];
      expect(patchJobs(ended, { type: 'job:progress', jobId: '1', progress: 80 })).toEqual(ended);
      expect(patchJobs([job('1')], { type: 'job:progress', jobId: '1', progress: 80 })).toMatchObject([
        { status: 'running', progress: 80 },
      ]);
    },
  );

  test('takes a job away that is deleted, and asks for the list where it does not know the job', () => {
    expect(patchJobs([job('1'), job('2')], { type: 'job:deleted', jobId: '1' })).toEqual([job('2')]);
    expect(patchJobs([job('1')], { type: 'job:created', jobId: '3' })).toBeUndefined();
    expect(patchJobs([job('1')], { type: 'job:started', jobId: '3' })).toBeUndefined();
  });
});
