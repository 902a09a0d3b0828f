import { describe, expect, test } from 'vitest';
import type { StoragePath } from '../path.ts';
import { createJobEvents, type JobEvent, news } from './events.ts';
import type { Job } from './job.ts';

const job: Job = {
  id: 'j1',
  path: 'films/a.mp4' as StoragePath,
  variantKey: 'v',
  transformation: 'w_320',
  version: 'e',
  priority: 3,
  status: 'error',
  progress: 10,
  attempts: 1,
  createdAt: new Date(0),
  startedAt: undefined,
  completedAt: undefined,
  error: 'broken',
  trouble: undefined,
  kind: 'transcode',
  payload: undefined,
};

test('every event has exactly the documented fields; the priority is always 2', () => {
  const file = { jobId: 'j1', filePath: 'films/a.mp4' };
  expect(news.created(job)).toEqual({ type: 'job:created', data: { ...file, status: 'pending', priority: 2 } });
  expect(news.started(job)).toEqual({ type: 'job:started', data: { ...file, status: 'running' } });
  expect(news.progress('j1', 40)).toEqual({ type: 'job:progress', data: { jobId: 'j1', progress: 40 } });
  expect(news.completed(job)).toEqual({ type: 'job:completed', data: { ...file, status: 'completed' } });
  expect(news.failed(job)).toEqual({ type: 'job:error', data: { ...file, status: 'error', error: 'broken' } });
});

describe('listeners', () => {
  test('hear every event in order until they leave', () => {
    const events = createJobEvents();
    const heard: [string, JobEvent][] = [];
    const leaveA = events.subscribe((event) => heard.push(['a', event]));
    events.subscribe((event) => heard.push(['b', event]));
    events.publish(news.started(job));
    leaveA();
    events.publish(news.completed(job));
    expect(heard.map(([who, event]) => `${who} ${event.type}`)).toEqual([
      'a job:started',
      'b job:started',
      'b job:completed',
    ]);
  });

  test('one that leaves while it listens does not disturb the others', () => {
    const events = createJobEvents();
    const heard: string[] = [];
    const leave = events.subscribe(() => {
      heard.push('first');
      leave();
    });
    events.subscribe(() => heard.push('second'));
    events.publish(news.started(job));
    events.publish(news.started(job));
    expect(heard).toEqual(['first', 'second', 'second']);
  });
});

describe('who comes back', () => {
  test('gets what was missed, in order', () => {
    const events = createJobEvents();
    const ids: number[] = [];
    events.subscribe(({ id }) => ids.push(id));
    for (let percent = 1; percent <= 5; percent++) events.publish(news.progress('j1', percent));
    const missed = events.since(ids[2] ?? 0);
    expect(missed.map((event) => event.data)).toEqual([4, 5].map((progress) => ({ jobId: 'j1', progress })));
    expect(events.since(ids[4] ?? 0)).toEqual([]);
  });

  test('but has heard nothing yet, gets what came after the last id that there was', () => {
    const events = createJobEvents();
    const start = events.lastId();
    events.publish(news.progress('j1', 1));
    expect(events.since(start)).toHaveLength(1);
    expect(events.since(events.lastId())).toEqual([]);
  });

  test('after long gets what is remembered, no more', () => {
    const events = createJobEvents({ remembered: 3 });
    for (let percent = 1; percent <= 10; percent++) events.publish(news.progress('j1', percent));
    expect(events.since(0)).toHaveLength(3);
  });

  test('after a restart gets everything since: ids go on rising', () => {
    const before = createJobEvents({ now: () => 1000 });
    for (let n = 0; n < 900; n++) before.publish(news.started(job));
    const last = before.since(0).at(-1)?.id ?? 0;
    const after = createJobEvents({ now: () => 1001 });
    after.publish(news.completed(job));
    expect(after.since(last)).toHaveLength(1);
  });

  test('after a restart with the clock set back, gets everything since as well', () => {
    const before = createJobEvents({ now: () => 200_000 });
    before.publish(news.started(job));
    const after = createJobEvents({ now: () => 1000 });
    after.publish(news.completed(job));
    expect(after.since(before.lastId())).toHaveLength(1);
  });
});
