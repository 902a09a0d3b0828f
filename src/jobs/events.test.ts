import { expect, test } from 'vitest';
import { endedJob } from '../../test/contracts/job-events.ts';
import { jobEvent } from './events.ts';

test('every event has exactly the documented fields; the priority is always 2', () => {
  const file = { jobId: 'j1', filePath: 'films/a.mp4' };
  expect(jobEvent.created(endedJob)).toEqual({
    type: 'job:created',
    data: { ...file, status: 'pending', priority: 2 },
  });
  expect(jobEvent.started(endedJob)).toEqual({ type: 'job:started', data: { ...file, status: 'running' } });
  expect(jobEvent.progress('j1', 40)).toEqual({ type: 'job:progress', data: { jobId: 'j1', progress: 40 } });
  expect(jobEvent.completed(endedJob)).toEqual({ type: 'job:completed', data: { ...file, status: 'completed' } });
  expect(jobEvent.failed(endedJob)).toEqual({ type: 'job:error', data: { ...file, status: 'error', error: 'broken' } });
  expect(jobEvent.cancelled(endedJob)).toEqual({ type: 'job:cancelled', data: { jobId: 'j1' } });
  expect(jobEvent.deleted(endedJob)).toEqual({ type: 'job:deleted', data: { jobId: 'j1' } });
});
