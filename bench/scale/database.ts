import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { sweepTombstones } from '../../src/catalog/sync/vanished.ts';
import { TRUSTED } from '../../src/client.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import type { NewJob, QueueLimits } from '../../src/jobs/job.ts';
import { SqlJobStore } from '../../src/jobs/sql-job-store.ts';
import { parsePath } from '../../src/path.ts';
import { memoryOf } from '../tools/process.ts';
import { median } from '../tools/report.ts';
import { AUTHORIZATION, type Darkroom, startDarkroom } from '../tools/service.ts';
import { watchStalls } from '../tools/stalls.ts';
import { costOf, costOfLookUp } from './cost.ts';
import { databaseOf, expiredTombstones, libraryOf, queueOf, SHARES } from './library.ts';
import type { Cost, Row } from './row.ts';

const PNG = new URL('../../test/fixtures/flag-alpha.png', import.meta.url);
const FIRST_PAGE = '/storage?path=large&limit=100';
const LIMITS: QueueLimits = { pending: 1_000_000, reserved: 100_000, ofClient: 20 };
/** Time in which the background work of a start runs, in ms. */
const SETTLING_MS = 1000;
const ENVIRONMENT = {
  // Most originals have rows, but no files.
  CATALOG_SCAN_INTERVAL_MIN: '0',
  MAX_EVENT_CLIENTS: '10000',
  MAX_EVENT_CLIENTS_PER_ADDRESS: '10000',
  MAX_CONNECTIONS_PER_ADDRESS: '10000',
};

type Operation = (round: number) => Promise<unknown>;

export const rowsOfDatabase: readonly Row[] = [
  { ...look('start, to the first page of a folder'), measure: measureStart },
  lookUp('first page of a folder with half of the originals', 1, async (service) => () => get(service, FIRST_PAGE)),
  lookUp('page in the middle of that folder, by cursor', 1, async (service, originals) => {
    const { nextCursor } = await get(service, `/storage?path=large&limit=1&offset=${originals / 4}`);
    return () => get(service, `${FIRST_PAGE}&cursor=${encodeURIComponent(nextCursor)}`);
  }),
  lookUp('record of an original', 1, async (service) => {
    await service.upload('record.png', await readFile(PNG));
    return () => get(service, '/assets/record.png');
  }),
  lookUp('folder with a new file, next to tombstones', SHARES.tombstones, async (service) => async (round) => {
    await writeFile(join(service.originals, 'inbox', `${round}.png`), 'new');
    await get(service, '/storage?path=inbox&limit=100');
  }),
  lookUp('first page of the trash', 1, async (service) => () => get(service, '/trash')),
  lookUp('restore from the trash', 1, async (service) => {
    const names = Array.from({ length: 50 }, (_, n) => `trash-${n}.png`);
    for (const name of names) {
      await service.upload(name, await readFile(PNG));
      await send(service, 'DELETE', `/storage/${name}?trash=true`);
    }
    const { items } = await get(service, '/trash');
    return (round) => send(service, 'POST', `/trash/${items[round].id}/restore`);
  }),
  queued('add a job to those that wait', (store, round) => store.add(jobOf(round), LIMITS)),
  queued('claim the next job, and return it', async (store) => {
    const [job] = await store.claim(60_000, 1);
    if (!job) throw new Error('Expected a job, found none.');
    await store.release(job);
  }),
  queued('first page of the jobs', (store) => store.list({ limit: 50, offset: 0, status: 'pending' })),
  queued('cancel a job', (store, round) => store.cancel(`job-${String(round).padStart(8, '0')}`)),
  lookUp('request with an API key', SHARES.keys, async (service) => {
    const { apiKey } = await send(service, 'POST', '/api-keys/create');
    return () => send(service, 'GET', '/queue/worker/stats', { authorization: `Bearer ${apiKey.key}` });
  }),
  lookUp('first page of the API keys', SHARES.keys, async (service) => () => get(service, '/api-keys/list?limit=50')),
  {
    label: 'event that reaches all listeners',
    kind: 'whole',
    sizes: [10, 100, 1000],
    quickSizes: [10, 100],
    measure: measureEvents,
  },
  {
    label: 'sweep of expired tombstones',
    kind: 'whole',
    sizes: [1000, 10_000, 100_000],
    quickSizes: [100, 1000],
    measure: measureSweep,
  },
];

/**
 * A look-up in the library.
 * @param share originals for each row of its subject
 */
function lookUp(
  label: string,
  share: number,
  prepare: (service: Darkroom, originals: number) => Promise<Operation>,
): Row {
  const measure = async (size: number) =>
    withService(await libraryOf(size * share), async (service) =>
      costOfLookUp(service, await prepare(service, size * share)),
    );
  return { ...look(label, share), measure };
}

/** A look-up in the queue, in this process: a service with a worker would take the jobs. */
function queued(label: string, operation: (store: SqlJobStore, round: number) => Promise<unknown>): Row {
  const measure = async (jobs: number) =>
    withDatabase(await queueOf(jobs, 'pending'), ({ db }, here) => {
      const store = new SqlJobStore(db);
      return costOfLookUp(here, (round) => operation(store, round));
    });
  return { ...look(label, 10), measure };
}

function look(label: string, share = 1) {
  const inShares = (size: number) => size / share;
  return {
    label,
    kind: 'look-up',
    sizes: [10_000, 100_000, 1_000_000].map(inShares),
    quickSizes: [1000, 10_000].map(inShares),
  } as const;
}

async function withService<Result>(data: string, use: (service: Darkroom) => Promise<Result>): Promise<Result> {
  const service = await start(data);
  try {
    return await use(service);
  } finally {
    await service.stop();
  }
}

const start = (data: string) => startDarkroom({ data, environment: ENVIRONMENT, isProbed: true });

async function measureStart(originals: number): Promise<Cost> {
  const data = await libraryOf(originals);
  const costs: Cost[] = [];
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now();
    const service = await start(data);
    // Without the loading of code, before anybody is served.
    await service.longestStall();
    await get(service, FIRST_PAGE);
    const ms = performance.now() - startedAt;
    await wait(SETTLING_MS);
    costs.push({ ms, megabytes: memoryOf(service.pid).peak, stallMs: await service.longestStall() });
    await service.stop();
  }
  const middle = (name: keyof Cost) => median(costs.map((cost) => cost[name]));
  return { ms: middle('ms'), megabytes: middle('megabytes'), stallMs: middle('stallMs') };
}

async function measureSweep(tombstones: number): Promise<Cost> {
  return withDatabase(await expiredTombstones(tombstones), async (database, here) => {
    const { folders } = createSqlCatalog(database);
    return costOf(here, () => sweepTombstones({ folders }, Date.now(), new AbortController().signal));
  });
}

async function withDatabase(
  data: string,
  measure: (database: OpenDatabase, here: Pick<Darkroom, 'pid' | 'longestStall'>) => Promise<Cost>,
): Promise<Cost> {
  const database = await databaseOf(data);
  try {
    return await measure(database, { pid: process.pid, longestStall: watchStalls() });
  } finally {
    await database.close();
  }
}

async function measureEvents(listeners: number): Promise<Cost> {
  return withService(await queueOf(100 + listeners, 'error'), async (service) => {
    const sockets = await Promise.all(Array.from({ length: listeners }, () => listen(service)));
    const { jobs } = await get(service, '/queue/jobs');
    const cost = await costOfLookUp(service, async (round) => {
      const received = sockets.map((socket) => nextEvent(socket, 'job:deleted'));
      await send(service, 'DELETE', `/queue/jobs/${jobs[round].id}`);
      await Promise.all(received);
    });
    for (const socket of sockets) socket.destroy();
    return cost;
  });
}

async function listen({ url }: Darkroom): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write('GET /queue/events HTTP/1.1\r\nHost: bench\r\n\r\n');
  await nextEvent(socket, 'connected');
  return socket;
}

async function nextEvent(socket: Socket, type: string): Promise<void> {
  for (;;) {
    const [chunk] = await once(socket, 'data');
    if (chunk.includes(type)) return;
  }
}

function jobOf(round: number): NewJob {
  const path = parsePath('videos/new.mp4');
  return { path, variantKey: `new ${round}`, transformation: 'w_320', version: 'etag', priority: 2, client: TRUSTED };
}

const get = (service: Darkroom, path: string) => send(service, 'GET', path);

/** @returns the body */
async function send({ url }: Darkroom, method: string, path: string, headers: Record<string, string> = AUTHORIZATION) {
  const response = await fetch(url + path, { method, headers });
  // biome-ignore lint/suspicious/noExplicitAny: each endpoint has another body.
  const body: any = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(body)}`);
  return body;
}
