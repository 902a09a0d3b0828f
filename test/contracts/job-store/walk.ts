import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TRUSTED } from '../../../src/client.ts';
import { type ClaimedJob, JOB_STATUSES, type Job, type JobStatus, TRANSITIONS } from '../../../src/jobs/job.ts';
import type { SqlJobStore } from '../../../src/jobs/sql-job-store.ts';
import { type JobStoreBench, LEASE_MS, newJob } from './bench.ts';

/** State transitions permitted to each operation; all others are forbidden. */
const MAY: Record<Operation['name'], readonly (keyof typeof TRANSITIONS)[]> = {
  add: [],
  claim: ['claim', 'takeOver'],
  renew: ['progress'],
  complete: ['complete'],
  fail: ['fail'],
  failAndRetry: ['retryLater'],
  defer: ['defer'],
  shortenLeases: [],
  release: ['release'],
  failLost: ['fail'],
  cancel: ['cancel'],
  retry: ['retry'],
  remove: [],
};

interface Operation {
  name:
    | 'add'
    | 'claim'
    | 'renew'
    | 'complete'
    | 'fail'
    | 'failAndRetry'
    | 'defer'
    | 'shortenLeases'
    | 'release'
    | 'failLost'
    | 'cancel'
    | 'retry'
    | 'remove';
  /** Index of its variant, lease or job. */
  which: number;
  /** Delay before it, in ms. */
  wait: number;
}

const operation = fc.record({
  name: fc.constantFrom<Operation['name']>(
    'add',
    'add',
    'claim',
    'claim',
    ...(Object.keys(MAY) as Operation['name'][]),
  ),
  which: fc.nat(7),
  wait: fc.constantFrom(0, 0, 1, LEASE_MS / 2, LEASE_MS + 1),
});

export function walking(create: (clock: { now: number }) => Promise<JobStoreBench>): void {
  test('never leaves the documented transitions, and a variant never has two jobs that are not completed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
        const bench = await create({ now: Date.UTC(2026, 0, 1) });
        try {
          await walk(bench, operations);
        } finally {
          await bench.close();
        }
      }),
      { numRuns: 60 },
    );
  });
}

async function walk({ store, clock }: JobStoreBench, operations: Operation[]): Promise<void> {
  const leases: ClaimedJob[] = [];
  let before = await readAll(store);
  for (const step of operations) {
    clock.now += step.wait;
    await perform(store, step, leases, [...before.values()]);
    const after = await readAll(store);
    checkStep(step.name, before, after);
    checkVariants(after);
    await checkCounts(store, after);
    before = after;
  }
}

async function perform(
  store: SqlJobStore,
  { name, which }: Operation,
  leases: ClaimedJob[],
  jobs: Job[],
): Promise<void> {
  const held = leases[which % Math.max(1, leases.length)];
  const id = jobs[which % Math.max(1, jobs.length)]?.id ?? 'none';
  if (name === 'add') {
    const client = which > 5 ? TRUSTED : `client ${which % 3}`;
    await store.add(newJob(`v${which % 4}`, { priority: 2 + (which % 2), client }), {
      pending: 3,
      reserved: 0,
      ofClient: 2,
    });
  }
  if (name === 'claim') {
    const [job] = await store.claim(LEASE_MS, 1);
    if (job) leases.push(job);
  }
  if (name === 'cancel' || name === 'retry' || name === 'remove') await store[name](id);
  if (name === 'failLost') await store.failLost(1, 'lost');
  if (name === 'shortenLeases') await store.shortenLeases(LEASE_MS / 2);
  if (!held) return;
  if (name === 'renew') await store.renew(held, LEASE_MS, which * 10);
  if (name === 'complete' || name === 'release') await store[name](held);
  if (name === 'fail') await store.fail(held, 'broken');
  if (name === 'failAndRetry') await store.fail(held, 'broken', LEASE_MS);
  if (name === 'defer') await store.defer(held, 'no room', LEASE_MS);
}

function checkStep(name: Operation['name'], before: Map<string, Job>, after: Map<string, Job>): void {
  const allowed = MAY[name].map((trigger) => `${TRANSITIONS[trigger].from} -> ${TRANSITIONS[trigger].to}`);
  for (const [id, job] of after) {
    const old = before.get(id);
    if (!old) expect([name, job.status]).toEqual(['add', 'pending']);
    else if (old.status !== job.status) expect(allowed).toContain(`${old.status} -> ${job.status}`);
    expect(job.completedAt !== undefined).toBe(job.status !== 'pending' && job.status !== 'running');
    expect(job.error !== undefined).toBe(job.status === 'error');
    if (job.status !== 'pending') expect(job.trouble).toBeUndefined();
    if (!old) expect([...after.values()].filter(({ status }) => status === 'pending').length).toBeLessThanOrEqual(3);
  }
  const gone = [...before.keys()].filter((id) => !after.has(id));
  expect(gone.length).toBeLessThanOrEqual(name === 'remove' ? 1 : 0);
}

function checkVariants(jobs: Map<string, Job>): void {
  const open = [...jobs.values()].filter(({ status }) => status !== 'completed').map(({ variantKey }) => variantKey);
  expect(new Set(open).size).toBe(open.length);
}

/** Counters say what the jobs say, also after they are merged. */
async function checkCounts(store: SqlJobStore, jobs: Map<string, Job>): Promise<void> {
  const ofStatus = (status: JobStatus) => [...jobs.values()].filter((job) => job.status === status).length;
  const expected = Object.fromEntries(JOB_STATUSES.map((status) => [status, ofStatus(status)]));
  expect(await store.counts()).toEqual(expected);
  await store.mergeCounts();
  expect(await store.counts()).toEqual(expected);
  expect((await store.list({ limit: 1, offset: 0, status: 'pending' })).total).toBe(expected.pending);
}

async function readAll(store: SqlJobStore): Promise<Map<string, Job>> {
  const { jobs } = await store.list({ limit: 1000, offset: 0 });
  return new Map(jobs.map((job) => [job.id, job]));
}
