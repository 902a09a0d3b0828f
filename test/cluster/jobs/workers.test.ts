import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLocalCluster } from '../../../src/cluster/local.ts';
import { openPostgres } from '../../../src/db/postgres/open.ts';
import { PostgresJobEvents } from '../../../src/jobs/events/postgres.ts';
import { jobEvent } from '../../../src/jobs/events.ts';
import { ask } from '../../http.ts';
import { silentLog } from '../../job-queue.ts';
import { type Listener, listen } from '../../listener.ts';
import { childrenOf, isAlive } from '../../processes.ts';
import { TEST_KEY } from '../../service.ts';
import { H264, openStudio } from '../../video-samples.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from '../nodes.ts';

const AN_HOUR = '3600000';

describeOnBoth('a machine that only serves, and one that does jobs', () => {
  let installation: Installation;
  let serving: Node;
  let working: Node;
  let listener: Listener;
  beforeAll(async () => {
    // Nothing here may depend on polls or heartbeats.
    installation = await newInstallation({ VIDEO_POLL_INTERVAL_MS: AN_HOUR, VIDEO_JOB_LEASE_MS: AN_HOUR });
    serving = await installation.start({ JOB_WORKER: 'false' });
    working = await installation.start();
    listener = listen(`${serving.url}/queue/events`);
    await listener.next('connected');
    const studio = await openStudio();
    const make = (name: string, size: string, seconds: number) =>
      studio.make(name, '-f', 'lavfi', '-i', `testsrc2=s=${size}:d=${seconds}:r=25`, ...H264);
    const short = await make('short.mp4', '160x90', 1);
    const long = await make('long.mp4', '640x360', 60);
    await installation.upload(serving, 'short.mp4', await readFile(short));
    await installation.upload(serving, 'long.mp4', await readFile(long));
    await studio.close();
  });
  afterAll(async () => {
    listener.close();
    await installation.close();
  });
  const get = (node: Node, path: string, method = 'GET') =>
    ask(node.url, path, { method, headers: { 'x-api-key': TEST_KEY } });

  test('a video that is asked for at the one is transcoded by the other, and served by both', async () => {
    expect((await get(serving, '/t/w_80/short.mp4')).status).toBe(202);
    await listener.next('job:completed');
    const types = listener.heard.map(({ type }) => type).filter((type) => type !== 'job:progress');
    expect(types).toEqual(['connected', 'job:created', 'job:started', 'job:completed']);
    const one = await get(serving, '/t/w_80/short.mp4');
    const other = await get(working, '/t/w_80/short.mp4');
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(one.headers.etag).toBe(other.headers.etag);
    expect(one.body.equals(other.body)).toBe(true);
    expect(await serving.metric('darkroom_jobs_claimed_total')).toBe(0);
    expect(await working.metric('darkroom_jobs_claimed_total')).toBe(1);
  });

  test('the one says that it does no jobs', async () => {
    const none = { isRunning: false, maxConcurrent: 0, processingCount: 0, pollInterval: Number(AN_HOUR) };
    expect((await get(serving, '/queue/worker/stats')).json()).toEqual(none);
    expect((await get(working, '/queue/worker/stats')).json()).toMatchObject({ isRunning: true });
    expect(await serving.metric('darkroom_job_places')).toBe(0);
  });

  test('a job that is deleted at the one stops its encoder on the other', async () => {
    const before = await childrenOf(working.pid);
    expect((await get(serving, '/t/w_1280/long.mp4')).status).toBe(202);
    const [{ id }] = (await get(serving, '/queue/jobs?limit=1')).json().jobs as [{ id: string }];
    while ((await listener.next('job:progress')).data.jobId !== id);
    const encoders = (await childrenOf(working.pid)).filter((pid) => !before.includes(pid));
    expect(encoders).not.toEqual([]);
    expect((await get(serving, `/queue/jobs/${id}`, 'DELETE')).status).toBe(200);
    await expect.poll(async () => (await Promise.all(encoders.map(isAlive))).includes(true)).toBe(false);
    expect((await get(working, `/queue/jobs/${id}`)).status).toBe(404);
  });

  test('a client that reconnects to the other one, again and again, misses nothing and gets nothing twice', async () => {
    const { db, close } = await openPostgres({ url: installation.databaseUrl });
    const teller = new PostgresJobEvents({ db, bus: createLocalCluster().bus, log: silentLog });
    const count = 300;
    const telling = (async () => {
      for (let percent = 1; percent <= count; percent++) await teller.publish(jobEvent.progress('told', percent));
    })();
    const heard: number[] = [];
    let lastId: string | undefined = listener.heard.at(-1)?.id;
    for (let turn = 0; heard.length < count; turn++) {
      const node = turn % 2 ? serving : working;
      for await (const event of eventsOf(node, lastId)) {
        lastId = event.id ?? lastId;
        if (event.data.jobId === 'told') heard.push(Number(event.data.progress));
        if (event.data.jobId === 'told' && heard.length % 17 === 0) break;
        if (heard.length === count) break;
      }
    }
    await telling;
    expect(heard).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    await teller.close();
    await close();
  });
});

interface Told {
  id: string | undefined;
  data: Record<string, unknown>;
}

/** Yields the events of one connection, which ends with the loop. */
async function* eventsOf({ url }: Node, lastId: string | undefined): AsyncGenerator<Told> {
  const abort = new AbortController();
  const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
  const { body } = await fetch(`${url}/queue/events`, { headers, signal: abort.signal });
  let text = '';
  try {
    for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never)) {
      text += chunk;
      const whole = text.split('\n\n');
      text = whole.pop() ?? '';
      for (const event of whole) {
        yield { id: /^id: (.*)$/m.exec(event)?.[1], data: JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}') };
      }
    }
  } finally {
    abort.abort();
  }
}
