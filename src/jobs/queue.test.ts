import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { filmJob, openTestQueue, type TestQueue } from '../../test/job-queue.ts';
import { type Client, TRUSTED } from '../client.ts';
import { HttpProblem } from '../errors.ts';
import type { StoragePath } from '../path.ts';
import type { ClaimedJob } from './job.ts';

let desk: TestQueue;
let clock: number;
beforeEach(async () => {
  clock = Date.UTC(2026, 0, 1);
  desk = await openTestQueue({ retryMax: 2, retryDelayMs: 2000, leaseMs: 1000, now: () => clock });
});
afterEach(() => desk.close());

const claim = async () => (await desk.queue.claim(1))[0] as ClaimedJob;

describe('asking', () => {
  test('a hundred requests for a variant queue one job and say so once', async () => {
    const added = await Promise.all(Array.from({ length: 100 }, () => desk.queue.enqueue(filmJob('a'))));
    expect(new Set(added.map(({ job }) => job.id)).size).toBe(1);
    expect(desk.said()).toEqual(['job:created']);
  });

  test('a visitor raises what an upload queued', async () => {
    await desk.queue.enqueue(filmJob('a', { priority: 3 }));
    const { job, isNew } = await desk.queue.enqueue(filmJob('a', { priority: 2 }));
    expect([isNew, job.priority]).toEqual([false, 2]);
  });

  test('the event of a new job says priority 2, the job knows better', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a', { priority: 3 }));
    expect(desk.heard[0]?.data).toEqual({ jobId: job.id, filePath: job.path, status: 'pending', priority: 2 });
    expect((await desk.queue.jobs.find(job.id))?.priority).toBe(3);
  });
});

describe('too many jobs', () => {
  const refusal = (key: string, client: Client = TRUSTED) =>
    desk.queue.enqueue(filmJob(key, { client })).then(
      () => undefined,
      (error: HttpProblem) => [error.status, error.headers['Retry-After'], error.message],
    );

  test('of one client are 429, of all together 503; both say when to come back and which setting it is', async () => {
    desk.close();
    desk = await openTestQueue({ queueMax: 4, queueMaxPerClient: 2 });
    expect([await refusal('a1', 'a'), await refusal('a2', 'a')]).toEqual([undefined, undefined]);
    expect(await refusal('a3', 'a')).toEqual([
      429,
      '30',
      expect.stringMatching(/^2 videos .*VIDEO_QUEUE_MAX_PER_CLIENT/),
    ]);
    expect([await refusal('b1', 'b'), await refusal('owner')]).toEqual([undefined, undefined]);
    expect(await refusal('c1', 'c')).toEqual([503, '30', expect.stringMatching(/^4 videos .*VIDEO_QUEUE_MAX\)/)]);
    expect(desk.said()).toHaveLength(4);
    // A repeated request for one of them is not refused.
    expect(await refusal('b1', 'a')).toBeUndefined();
  });
});

describe('a queue that anonymous clients fill', () => {
  test('refuses them with 503 at nine tenths and takes jobs of keys and sessions', async () => {
    desk.close();
    desk = await openTestQueue({ queueMax: 20, queueMaxPerClient: 5 });
    for (let n = 0; n < 18; n++) await desk.queue.enqueue(filmJob(`a${n}`, { client: `client ${n}` }));
    await expect(desk.queue.enqueue(filmJob('b', { client: 'b' }))).rejects.toMatchObject({
      status: 503,
      code: 'queue_full',
      headers: { 'Retry-After': '30' },
      message: expect.stringMatching(/^18 videos .* without a key or a session.*VIDEO_QUEUE_MAX/),
    });
    for (const name of ['owner 1', 'owner 2']) {
      expect(await desk.queue.enqueue(filmJob(name))).toMatchObject({ isNew: true });
    }
    await expect(desk.queue.enqueue(filmJob('owner 3'))).rejects.toThrow('VIDEO_QUEUE_MAX');
  });
});

describe('the events of a life', () => {
  test('created, started, progress, completed', async () => {
    await desk.queue.enqueue(filmJob('a'));
    const job = await claim();
    await desk.queue.renew(job);
    await desk.queue.renew(job, 50);
    await desk.queue.complete(job);
    expect(desk.said()).toEqual(['job:created', 'job:started', 'job:progress', 'job:completed']);
  });

  test('a failed attempt is tried again after a doubling delay; the last failure is an error', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    for (const delay of [2000, 4000]) {
      expect((await desk.queue.fail(await claim(), 'broken'))?.status).toBe('pending');
      clock += delay - 1;
      expect(await desk.queue.claim(1)).toEqual([]);
      clock += 1;
    }
    await desk.queue.fail(await claim(), 'broken for good');
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({
      status: 'error',
      error: 'broken for good',
      attempts: 3,
    });
    expect(desk.said()).toEqual(['job:created', 'job:started', 'job:started', 'job:started', 'job:error']);
  });

  test('a failure that would be the same again is an error at once', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    await desk.queue.fail(await claim(), 'too large', true);
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({ status: 'error', error: 'too large', attempts: 1 });
    expect(desk.said()).toEqual(['job:created', 'job:started', 'job:error']);
  });

  test('a job that is put off for the server is due again in a minute, however often, and is never an error', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    const dueIn: number[] = [];
    desk.queue.watch({ pending: (inMs) => dueIn.push(inMs), removed: () => undefined, unsure: () => undefined });
    for (let n = 0; n < 6; n++) {
      const claimed = await claim();
      expect(await desk.queue.defer(claimed, 'no room')).toMatchObject({ status: 'pending', trouble: 'no room' });
      clock += 59_999;
      expect(await desk.queue.claim(1)).toEqual([]);
      clock += 1;
    }
    expect(new Set(dueIn)).toEqual(new Set([60_000]));
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({ status: 'pending', attempts: 0 });
    expect(desk.said()).not.toContain('job:error');
  });

  test('who no longer holds a job says nothing of it', async () => {
    await desk.queue.enqueue(filmJob('a'));
    const lost = await claim();
    clock += 1001;
    await claim();
    await desk.queue.renew(lost, 50);
    await desk.queue.complete(lost);
    await desk.queue.fail(lost, 'late');
    expect(desk.said()).toEqual(['job:created', 'job:started', 'job:started']);
  });
});

describe('actions', () => {
  test('cancel needs a pending job', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    expect((await desk.queue.cancel(job.id)).status).toBe('cancelled');
    await expect(desk.queue.cancel(job.id)).rejects.toThrow(
      'Only a job that is "pending" can be cancelled; this one is "cancelled".',
    );
  });

  test('retry needs a job in error, and gives it all its attempts again', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    await expect(desk.queue.retry(job.id)).rejects.toThrow('this one is "pending"');
    for (const delay of [2000, 4000, 0]) {
      await desk.queue.fail(await claim(), 'broken');
      clock += delay;
    }
    expect(await desk.queue.retry(job.id)).toMatchObject({ status: 'pending', attempts: 0, error: undefined });
    expect((await desk.queue.fail(await claim(), 'broken'))?.status).toBe('pending');
  });

  test('of an unknown job they are a 400', async () => {
    for (const action of ['cancel', 'retry', 'remove'] as const) {
      const problem = await desk.queue[action]('unknown').catch((error: unknown) => error);
      expect(problem).toBeInstanceOf(HttpProblem);
      expect((problem as HttpProblem).status).toBe(400);
    }
  });

  test('the jobs of a removed folder go, and their watchers hear of it', async () => {
    const removed: string[] = [];
    desk.queue.watch({ pending: () => undefined, removed: (id) => removed.push(id), unsure: () => undefined });
    const { job } = await desk.queue.enqueue(filmJob('a'));
    await desk.queue.enqueue(filmJob('b', { path: 'other/b.mp4' as StoragePath }));
    expect(await desk.queue.removeWithin('films' as StoragePath)).toBe(1);
    expect(removed).toEqual([job.id]);
  });
});

describe('tidying', () => {
  test('a job that kills every process that runs it ends in error', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    for (let death = 0; death < 4; death++) {
      await claim();
      clock += 1001;
      await desk.queue.tidy();
    }
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({
      status: 'error',
      error: 'The process that ran the job died 4 times.',
    });
    expect(desk.said().at(-1)).toBe('job:error');
  });

  test('it is not begun once more, even when nobody tidies in between', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    for (let death = 0; death < 4; death++) {
      expect(await desk.queue.claim(1)).toHaveLength(1);
      clock += 1001;
    }
    expect(await desk.queue.claim(1)).toEqual([]);
    expect(await desk.queue.jobs.find(job.id)).toMatchObject({ status: 'error' });
    expect(desk.said().at(-1)).toBe('job:error');
  });

  test('a job whose process died before the clock was set back is begun anew when its lease would have run out', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    await claim();
    clock -= 172_800_000;
    await desk.queue.tidy();
    clock += 1001;
    expect((await claim()).id).toBe(job.id);
  });

  test('what ended long ago is forgotten', async () => {
    const { job } = await desk.queue.enqueue(filmJob('a'));
    await desk.queue.complete(await claim());
    clock += 3_600_001;
    await desk.queue.tidy();
    expect(await desk.queue.jobs.find(job.id)).toBeUndefined();
  });

  test('stats count every state and the last hour', async () => {
    await desk.queue.enqueue(filmJob('a'));
    const job = await claim();
    clock += 500;
    await desk.queue.complete(job);
    expect(await desk.queue.stats()).toEqual({
      pending: 0,
      running: 0,
      completed: 1,
      error: 0,
      cancelled: 0,
      throughput: { completedLastHour: 1, averageDurationMs: 500 },
    });
  });
});
