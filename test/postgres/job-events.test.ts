import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createLocalCluster } from '../../src/cluster/local.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { PostgresJobEvents, type PostgresJobEventsOptions } from '../../src/jobs/events/postgres.ts';
import { endOf, type JobEvent, type JobEvents, jobEvent } from '../../src/jobs/events.ts';
import { SqlJobStore } from '../../src/jobs/sql-job-store.ts';
import { allSince, endedJob, hear, jobEventsContract } from '../contracts/job-events.ts';
import { claimNext, newJob } from '../contracts/job-store/bench.ts';
import { silentLog } from '../job-queue.ts';
import { join } from './cluster/nodes.ts';
import { describeOnPostgres, openTwice } from './database.ts';

const HOUR_MS = 3_600_000;

describeOnPostgres('events of jobs on PostgreSQL', () => {
  const databases = openTwice();
  beforeEach(async () => {
    await sql`truncate job_event, job`.execute(databases.one.db);
  });
  const quiet = createLocalCluster().bus;
  /** Opens job events that neither poll nor clean up, unless the test requests it. */
  const open = ({ db }: OpenDatabase, more: Partial<PostgresJobEventsOptions> = {}) =>
    new PostgresJobEvents({ db, bus: quiet, log: silentLog, pollMs: HOUR_MS, tidyMs: HOUR_MS, ...more });

  jobEventsContract('PostgreSQL', async () => {
    await sql`truncate job_event`.execute(databases.one.db);
    const cluster = await join(databases.url, 2);
    const openNode = (n: 0 | 1) =>
      open(n ? databases.two : databases.one, { bus: cluster[n]?.bus ?? quiet, remembered: 800 });
    const nodes: [JobEvents, JobEvents] = [openNode(0), openNode(1)];
    await Promise.all(nodes.map((events) => events.lastId()));
    return {
      nodes,
      remembered: [800, 880],
      async close() {
        for (const events of nodes) await events.close();
        for (const node of cluster) await node.close();
      },
    };
  });

  test('a node that nobody tells of new events finds them by itself', async () => {
    const teller = open(databases.one);
    const listener = open(databases.two, { pollMs: 20 });
    await listener.lastId();
    const heard = hear(listener, 1);
    await teller.publish(jobEvent.progress('j1', 1));
    expect(await heard).toMatchObject([{ data: { progress: 1 } }]);
    await Promise.all([teller.close(), listener.close()]);
  });

  test('an event that has a name is told once, whoever tells it', async () => {
    const a = open(databases.one);
    const b = open(databases.two);
    const tellers = Array.from({ length: 10 }, (_, n) => (n % 2 ? a : b));
    await Promise.all(tellers.map((events) => events.publish(jobEvent.completed(endedJob), endOf(endedJob))));
    expect(await allSince(a, 0)).toHaveLength(1);
    await Promise.all([a.close(), b.close()]);
  });

  test('ids go on rising after a restart, and when the clock is behind the last id', async () => {
    const before = open(databases.one);
    await before.publish(jobEvent.progress('j1', 1));
    await before.close();
    const ahead = (Date.now() + HOUR_MS) * 1000;
    await databases.one.db.updateTable('job_event').set({ id: ahead }).execute();
    const after = open(databases.two);
    expect(await after.lastId()).toBe(ahead);
    const heard = hear(after, 1);
    await after.publish(jobEvent.progress('j1', 2));
    expect((await heard).map(({ id }) => id)).toEqual([ahead + 1]);
    expect(await allSince(after, ahead)).toEqual(await heard);
    await after.close();
  });

  describe('a job that ended, and whose process died before it could say so', () => {
    test('is told of by another one, once, and as the dead one would have told it', async () => {
      const store = new SqlJobStore(databases.one.db);
      const a = open(databases.one, { tidyMs: 20 });
      const b = open(databases.two, { tidyMs: 20 });
      await a.publish(jobEvent.progress('first', 1));
      await a.publish(jobEvent.progress('last', 1));
      const cancelled = await store.cancel((await store.add(newJob('cancelled'))).job.id);
      for (const key of ['done', 'told', 'broken']) await store.add(newJob(key));
      const done = await claimNext(store);
      const told = await claimNext(store);
      const broken = await claimNext(store);
      const ended = [await store.complete(done), await store.complete(told), await store.fail(broken, 'broken')];
      await a.publish(jobEvent.completed(told), endOf(ended[1] ?? told));
      await expect.poll(async () => (await allSince(b, 0)).length).toBe(6);
      const events = (await allSince(b, 0)).map(({ type, data }) => ({ type, data }));
      const [first, , third] = ended;
      if (!first || !third || !cancelled) throw new Error('The jobs did not end.');
      expect(events).toEqual(
        expect.arrayContaining([jobEvent.completed(first), jobEvent.failed(third), jobEvent.cancelled(cancelled)]),
      );
      await Promise.all([a.close(), b.close()]);
    });
  });

  test('four processes that tell at once: who reads by id misses nothing, also when one of them is killed', async () => {
    const cluster = (await join(databases.url, 1))[0];
    const listener = open(databases.one, { bus: cluster?.bus ?? quiet, pollMs: 10 });
    await listener.lastId();
    const heard: JobEvent[] = [];
    listener.subscribe((event) => heard.push(event));
    const file = fileURLToPath(new URL('./job-events-writer.ts', import.meta.url));
    const tellers = Array.from({ length: 4 }, (_, n) => {
      const child = spawn(process.execPath, [file, databases.url, `teller ${n}`], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const said: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
      return { child, said, name: `teller ${n}` };
    });
    await expect.poll(() => tellers.every(({ said }) => Number(said.at(-1) ?? 0) >= 100)).toBe(true);
    tellers[0]?.child.kill('SIGKILL');
    await once(tellers[0]?.child ?? process, 'close');
    const reached = tellers.map(({ said }) => Number(said.at(-1)));
    await expect
      .poll(() => tellers.slice(1).every(({ said }, n) => Number(said.at(-1)) >= (reached[n + 1] ?? 0) + 50))
      .toBe(true);
    for (const { child } of tellers.slice(1)) child.stdin.write('stop\n');
    await expect.poll(() => tellers.slice(1).every(({ said }) => said.at(-1) === 'done')).toBe(true);
    for (const { child } of tellers.slice(1)) child.stdin.end();

    const there = await databases.one.db.selectFrom('job_event').select('id').orderBy('id').execute();
    await expect.poll(() => heard.length).toBe(there.length);
    expect(heard.map(({ id }) => id)).toEqual(there.map(({ id }) => id));
    for (const { name, said } of tellers) {
      const told = heard.flatMap((event) =>
        event.type === 'job:progress' && event.data.jobId === name ? event.data.progress : [],
      );
      expect(told, name).toEqual(Array.from({ length: told.length }, (_, n) => n));
      const acknowledged = Number(said.findLast((line) => line !== 'done'));
      expect(told.length, name).toBeGreaterThanOrEqual(acknowledged);
    }
    await listener.close();
    await cluster?.close();
  });
});
