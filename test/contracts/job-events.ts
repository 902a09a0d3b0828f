import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JobEvent, type JobEvents, jobEvent } from '../../src/jobs/events.ts';
import type { Job } from '../../src/jobs/job.ts';
import { filmJob } from '../job-queue.ts';

/** Fixture of the job event tests. */
export interface JobEventsBench {
  /** The events as seen by one node, or by several. */
  nodes: [JobEvents, ...JobEvents[]];
  /** Minimum and maximum number of retained events. */
  remembered: [number, number];
  close(): Promise<void>;
}

export const endedJob: Job = {
  ...filmJob('a'),
  id: 'j1',
  space: '',
  status: 'error',
  progress: 10,
  attempts: 1,
  createdAt: new Date(0),
  startedAt: undefined,
  completedAt: new Date(0),
  error: 'broken',
  trouble: undefined,
};

/** Returns all events that a node retains after an id, over as many requests as needed. */
export async function allSince(events: JobEvents, id: number): Promise<JobEvent[]> {
  const all: JobEvent[] = [];
  let from = id;
  while (true) {
    const later = await events.since(from);
    all.push(...later.events);
    if (later.isAll) return all;
    from = later.upTo;
  }
}

/** Resolves when a listener has received this many events, with those events. */
export function hear(events: JobEvents, count: number): Promise<JobEvent[]> {
  const heard: JobEvent[] = [];
  return new Promise((resolve) => {
    const leave = events.subscribe((event) => {
      heard.push(event);
      if (heard.length < count) return;
      leave();
      resolve(heard);
    });
  });
}

const progressOf = (events: JobEvent[]) =>
  events.map((event) => (event.type === 'job:progress' ? event.data.progress : event.type));

/** Tests of every implementation of job events. `create` returns a new one. */
export function jobEventsContract(name: string, create: () => Promise<JobEventsBench>): void {
  describe(`${name} as job events`, () => {
    let bench: JobEventsBench;
    /** The publishing node, and the receiving one. */
    let [one, other]: JobEvents[] = [];
    beforeEach(async () => {
      bench = await create();
      one = bench.nodes[0];
      other = bench.nodes.at(-1);
    });
    afterEach(() => bench.close());
    const tell = async (from: number, to: number) => {
      const heard = hear(other as JobEvents, to - from + 1);
      for (let percent = from; percent <= to; percent++) void one?.publish(jobEvent.progress('j1', percent));
      return heard;
    };

    listening(() => [one, other] as [JobEvents, JobEvents]);

    test('who comes back gets what was missed, in order', async () => {
      const heard = await tell(1, 5);
      expect(progressOf(await allSince(other as JobEvents, heard[2]?.id ?? 0))).toEqual([4, 5]);
      expect(await other?.since(heard[4]?.id ?? 0)).toEqual({ events: [], upTo: heard[4]?.id, isAll: true });
    });

    test('who has heard nothing yet gets what came after the last id that there was', async () => {
      const start = await other?.lastId();
      const [first] = await tell(1, 1);
      expect(first?.id).toBeGreaterThan(start ?? Number.NaN);
      expect(progressOf(await allSince(other as JobEvents, start ?? 0))).toEqual([1]);
      expect(await other?.lastId()).toBe(first?.id);
      expect(await allSince(other as JobEvents, first?.id ?? 0)).toEqual([]);
    });

    test('who was away for long gets what is remembered, no more', async () => {
      const [least, most] = bench.remembered;
      // No faster than they are received.
      for (let n = 0; n < most + 700; n += 20) await tell(n + 1, n + 20);
      await expect.poll(async () => (await allSince(other as JobEvents, 0)).length).toBeLessThanOrEqual(most);
      const kept = progressOf(await allSince(other as JobEvents, 0)).slice(-least);
      expect(kept).toEqual(Array.from({ length: least }, (_, n) => most + 701 - least + n));
    });

    test('who has an id that lies ahead gets all that is remembered, and goes on from there', async () => {
      const heard = await tell(1, 3);
      const ahead = (heard[2]?.id ?? 0) + 3_600_000_000;
      expect(progressOf(await allSince(other as JobEvents, ahead))).toEqual([1, 2, 3]);
      expect((await other?.since(ahead))?.upTo).toBe(heard[2]?.id);
    });

    test('who has an id that lies ahead before the first event gets nothing, and goes on from there', async () => {
      const later = await other?.since(Date.now() * 1000 + 3_600_000_000);
      expect(later).toMatchObject({ events: [], isAll: true });
      const [first] = await tell(1, 1);
      expect(first?.id).toBeGreaterThan(later?.upTo ?? Number.NaN);
    });

    test('events carry the space of their job', async () => {
      const start = (await other?.lastId()) ?? 0;
      const both = hear(other as JobEvents, 2);
      void one?.publish(jobEvent.started({ ...endedJob, space: 'acme' }));
      void one?.publish(jobEvent.started(endedJob));
      expect((await both).map(({ space }) => space)).toEqual(['acme', undefined]);
      expect((await allSince(other as JobEvents, start)).map(({ space }) => space)).toEqual(['acme', undefined]);
    });

    test('ids begin with the time in millionths of a second, and are whole numbers', async () => {
      const before = Date.now();
      const [first] = await tell(1, 1);
      expect(Number.isSafeInteger(first?.id)).toBe(true);
      expect(Math.abs((first?.id ?? 0) / 1000 - before)).toBeLessThan(60_000);
    });
  });
}

function listening(nodes: () => [JobEvents, JobEvents]): void {
  test('listeners hear every event in order until they leave', async () => {
    const [one, other] = nodes();
    const heard: string[] = [];
    const leaveA = other.subscribe((event) => heard.push(`a ${event.type}`));
    other.subscribe((event) => heard.push(`b ${event.type}`));
    const started = hear(other, 1);
    void one.publish(jobEvent.started(endedJob));
    await started;
    leaveA();
    const completed = hear(other, 1);
    void one.publish(jobEvent.completed(endedJob));
    await completed;
    expect(heard).toEqual(['a job:started', 'b job:started', 'b job:completed']);
  });

  test('one that leaves while it listens does not disturb the others', async () => {
    const [one, other] = nodes();
    const heard: string[] = [];
    const leave = other.subscribe(() => {
      heard.push('first');
      leave();
    });
    other.subscribe(() => heard.push('second'));
    const both = hear(other, 2);
    for (let n = 0; n < 2; n++) void one.publish(jobEvent.started(endedJob));
    await both;
    expect(heard).toEqual(['first', 'second', 'second']);
  });

  test('events are heard as they were told', async () => {
    const [one, other] = nodes();
    const told = [jobEvent.created(endedJob), jobEvent.failed(endedJob)];
    const both = hear(other, 2);
    for (const event of told) void one.publish(event);
    expect((await both).map(({ type, data }) => ({ type, data }))).toEqual(told);
  });
}
