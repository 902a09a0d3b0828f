import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { RenderRequest } from '../image/pipeline.ts';
import { RenderPool } from './pool.ts';

const run = promisify(execFile);
const MEGABYTE = 1024 * 1024;
/** Shorter than the time limits of a task that has not begun. */
const IDLE_MS = 1000;

const OPTIONS = {
  workers: 3,
  workerIdleMs: IDLE_MS,
  maxQueued: 100,
  maxQueuedPerClient: 100,
  maxWaitMs: 3_600_000,
  timeoutMs: 3_600_000,
  memoryBytes: 2048 * MEGABYTE,
  totalMemoryBytes: 512 * MEGABYTE,
};

const RENDERED = expect.objectContaining({ outcome: 'rendered', width: 10, height: 5 });

let folder: string;
let photo: string;
let pool: RenderPool;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-idle-'));
  photo = join(folder, 'photo.png');
  await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } }).toFile(photo);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(() => {
  // The processes are real: only the timers of this process are advanced by hand.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  pool = new RenderPool(OPTIONS);
});
afterEach(async () => {
  await pool.close();
  vi.useRealTimers();
});

function render(): Promise<unknown> {
  const limits = { inputMegapixels: 100, outputSide: 1000, outputMegapixels: 10, animationFrames: 100 };
  const output = join(folder, `result-${++count}`);
  const request: RenderRequest = {
    inputs: { original: photo },
    output,
    options: { width: 10 },
    format: 'png',
    limits,
  };
  return pool.runUncharged('render', request);
}

const burst = (size: number) => Promise.all(Array.from({ length: size }, render));

async function workers(): Promise<number[]> {
  const found = await run('pgrep', ['-P', String(process.pid), '-f', 'render/worker.ts']).catch(() => ({ stdout: '' }));
  return found.stdout.split('\n').filter(Boolean).map(Number);
}

/** Waits until this many workers run; a killed one is a child until its exit is noticed. */
async function untilWorkers(number: number): Promise<number[]> {
  for (;;) {
    const found = await workers();
    if (found.length === number) return found;
  }
}

test('a worker without work ends after its time, and the next image starts another', async () => {
  expect(await render()).toEqual(RENDERED);
  const [first] = await untilWorkers(1);
  vi.advanceTimersByTime(IDLE_MS - 1);
  expect(await render()).toEqual(RENDERED);
  expect(await workers()).toEqual([first]);
  vi.advanceTimersByTime(IDLE_MS);
  await untilWorkers(0);
  expect(await render()).toEqual(RENDERED);
  expect(await workers()).not.toContain(first);
});

test('a task that comes in the moment in which its worker ends is done once, by another', async () => {
  await render();
  for (let round = 0; round < 5; round++) {
    const [before] = await untilWorkers(1);
    vi.advanceTimersByTime(IDLE_MS);
    expect(await render()).toEqual(RENDERED);
    await untilWorkers(1);
    expect(await workers()).not.toContain(before);
  }
  expect(pool.stats()).toMatchObject({ rendered: 6, rendering: 0, queued: 0 });
});

test('a worker that has a task does not end, also when its time comes meanwhile', async () => {
  await render();
  const [worker] = await untilWorkers(1);
  for (let round = 0; round < 5; round++) {
    const result = render();
    // The slot is given in microtasks, and the answer of the worker comes later than these.
    for (let task = 0; task < 100; task++) await null;
    expect(pool.stats().rendering).toBe(1);
    vi.advanceTimersByTime(10 * IDLE_MS);
    expect(await result).toEqual(RENDERED);
  }
  expect(await workers()).toEqual([worker]);
});

test('a burst starts as many workers as there are slots, and all of them end', async () => {
  for (let round = 0; round < 3; round++) {
    const results = await burst(20);
    expect(results).toEqual(Array.from({ length: 20 }, () => RENDERED));
    expect((await workers()).length).toBe(3);
    vi.advanceTimersByTime(IDLE_MS);
    await untilWorkers(0);
  }
});

test('under little load one worker does all, and the others end', async () => {
  await burst(20);
  const all = await untilWorkers(3);
  for (let round = 0; round < 4; round++) {
    vi.advanceTimersByTime(IDLE_MS / 3);
    await render();
  }
  const [last] = await untilWorkers(1);
  expect(all).toContain(last);
});

test('an idle worker that is killed is replaced, and its replacement ends after its time', async () => {
  await render();
  const [killed = 0] = await untilWorkers(1);
  process.kill(killed, 'SIGKILL');
  let replacement: number | undefined;
  while (replacement === undefined || replacement === killed) [replacement] = await workers();
  vi.advanceTimersByTime(IDLE_MS);
  await untilWorkers(0);
  expect(await render()).toEqual(RENDERED);
});

test('the first worker is started ahead of the first task, and ends without one', async () => {
  pool.start();
  expect(await untilWorkers(1)).toHaveLength(1);
  vi.advanceTimersByTime(IDLE_MS);
  await untilWorkers(0);
});

test('without such a time all workers are started ahead, and stay', async () => {
  await pool.close();
  pool = new RenderPool({ ...OPTIONS, workerIdleMs: 0 });
  pool.start();
  const all = await untilWorkers(3);
  await burst(6);
  vi.advanceTimersByTime(100 * IDLE_MS);
  expect(await render()).toEqual(RENDERED);
  expect(await workers()).toEqual(all);
});
