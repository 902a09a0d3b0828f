import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { turnBy } from '../image/layout/geometry.ts';
import type { RenderRequest } from '../image/pipeline.ts';
import { RenderPool, type RenderPoolOptions } from './pool.ts';

const run = promisify(execFile);
const UNAVAILABLE = expect.objectContaining({ name: 'HttpProblem', status: 503 });
const MEGABYTE = 1024 * 1024;

const OPTIONS = {
  workers: 2,
  maxQueued: 100,
  maxQueuedPerClient: 100,
  maxWaitMs: 60_000,
  timeoutMs: 60_000,
  memoryBytes: 2048 * MEGABYTE,
  totalMemoryBytes: 512 * MEGABYTE,
};

let folder: string;
let photo: string;
/** An image whose AVIF takes a second or more. */
let noise: string;
let pool: RenderPool | undefined;
let alone: ChildProcess | undefined;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-pool-'));
  photo = join(folder, 'photo.png');
  await sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } }).toFile(photo);
  noise = join(folder, 'noise.png');
  const create = { width: 2000, height: 1500, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 60 } } as const;
  await sharp({ create: { ...create, background: 'black' } }).toFile(noise);
});
afterEach(async () => {
  // A stopped process cannot end by itself.
  for (const pid of await workersOf()) kill(pid);
  alone?.kill('SIGKILL');
  await pool?.close();
  pool = undefined;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A pool whose workers have all started. */
async function startPool(options: Partial<RenderPoolOptions> = {}): Promise<RenderPool> {
  const renders = new RenderPool({
    ...OPTIONS,
    ...options,
  });
  pool = renders;
  const started = Array.from({ length: renders.stats().workers }, () => renders.runUncharged('render', request()));
  await Promise.all(started);
  return renders;
}

function request(input = photo, options: RenderRequest['options'] = { width: 10 }): RenderRequest {
  const limits = { inputMegapixels: 1000, outputSide: 16_000, outputMegapixels: 250, animationFrames: 100 };
  return { inputs: { original: input }, output: join(folder, `result-${++count}`), options, format: 'png', limits };
}

const RENDERED = expect.objectContaining({ outcome: 'rendered', width: 10, height: 5 });

const slowRequest = (): RenderRequest => ({ ...request(noise, {}), format: 'avif' });

/** A process with a pool of its own, which acts and then renders once and prints the result. */
function startAlone(command: string[], act = '', user: { uid?: number; gid?: number } = {}) {
  const script = `
    import { RenderPool } from ${JSON.stringify(new URL('./pool.ts', import.meta.url).href)};
    const pool = new RenderPool(${JSON.stringify(OPTIONS)});
    ${act}
    console.log(JSON.stringify(await pool.runUncharged('render', ${JSON.stringify(request())})));`;
  const [program = '', ...parts] = [...command, process.execPath, '--input-type=module', '-e', script];
  const service = spawn(program, parts, { ...user, stdio: ['ignore', 'pipe', 'inherit'] });
  alone = service;
  return service;
}

/** Returns its first output; empty when it ends without any. */
async function firstLine({ stdout }: { stdout: Readable }): Promise<string> {
  for await (const chunk of stdout) return String(chunk);
  return '';
}

/** A render in the middle of which its worker is; the workers have to have started. */
async function busyRender(renders: RenderPool, signal?: AbortSignal) {
  const before = await cpuTimes();
  const result = renders.runUncharged('render', slowRequest(), signal);
  result.catch(() => undefined);
  let pid = 0;
  const findBusy = async () => {
    for (const [worker, time] of await cpuTimes()) if (time > (before.get(worker) ?? time) + 10) pid = worker;
    return pid;
  };
  await expect.poll(findBusy, { interval: 5, timeout: 30_000 }).not.toBe(0);
  return { result, pid };
}

/** A render that continues only on a signal to its worker. */
async function hangingRender(renders: RenderPool, signal?: AbortSignal) {
  const render = await busyRender(renders, signal);
  kill(render.pid, 'SIGSTOP');
  return render;
}

/** The time that each worker has computed, in hundredths of a second. */
async function cpuTimes(): Promise<Map<number, number>> {
  const times = (await workersOf()).map(async (pid): Promise<[number, number]> => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ');
    return [pid, Number(fields[12]) + Number(fields[13])];
  });
  return new Map(await Promise.all(times));
}

/** The worker processes below a process. */
async function workersOf(parent = process.pid): Promise<number[]> {
  const { stdout } = await run('pgrep', ['-P', String(parent), '-f', 'render/worker.ts']).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter(Boolean).map(Number);
}

/** The different priorities of a process's threads. */
async function nicenessOf(pid: number): Promise<number[]> {
  // Linux has one for each thread; elsewhere there is one for the process.
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [pid]);
  return [...new Set(threads.map((id) => getPriority(Number(id))))];
}

/** Waits until a process has ended. */
async function gone(pid: number): Promise<void> {
  await run('tail', [`--pid=${pid}`, '-f', '/dev/null'], { timeout: 30_000 });
}

function kill(pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (pid !== undefined) process.kill(pid, signal);
}

describe('a render', () => {
  test('runs in a process of its own that knows no secret of the service', async () => {
    process.env.POOL_TEST_SECRET = 'hush';
    const renders = await startPool();
    const wanted = request();
    expect(await renders.runUncharged('render', wanted)).toEqual(RENDERED);
    expect((await sharp(wanted.output).metadata()).width).toBe(10);
    const [worker] = await workersOf();
    expect(await readFile(`/proc/${worker}/environ`, 'utf8')).not.toContain('hush');
    delete process.env.POOL_TEST_SECRET;
  });

  test('many at once take no more processes than there are workers', async () => {
    const renders = await startPool({ workers: 2 });
    const results = await Promise.all(Array.from({ length: 40 }, () => renders.runUncharged('render', request())));
    expect(results).toEqual(Array.from({ length: 40 }, () => RENDERED));
    expect(await workersOf()).toHaveLength(2);
    expect(renders.stats()).toMatchObject({ workers: 2, rendering: 0, queued: 0, rendered: 42 });
  });

  test('returns the bytes of a small result, and none of a larger one', async () => {
    const renders = await startPool();
    const order = request();
    const small = await renders.runUncharged('render', { ...order, returnedBytes: MEGABYTE });
    expect(small).toMatchObject({ outcome: 'rendered', bytes: await readFile(order.output) });
    expect(await renders.runUncharged('render', { ...request(), returnedBytes: 10 })).not.toHaveProperty('bytes');
    expect(await renders.runUncharged('render', request())).not.toHaveProperty('bytes');
  });

  test('that cannot be sent leaves its worker to others', async () => {
    const renders = await startPool({ workers: 1 });
    const unsendable = { ...request(), options: { width: () => 10 } } as unknown as RenderRequest;
    await expect(renders.runUncharged('render', unsendable)).rejects.toThrow('could not be cloned');
    expect(await renders.runUncharged('render', request())).toEqual(RENDERED);
    expect(await workersOf()).toHaveLength(1);
  });

  test('of a file that is not a picture says so, and the worker lives on', async () => {
    const renders = await startPool({ workers: 1 });
    const broken = join(folder, 'broken.svg');
    await writeFile(broken, '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    await renders.runUncharged('render', request());
    const before = await workersOf();
    expect(await renders.runUncharged('render', request(broken))).toMatchObject({ outcome: 'undecodable' });
    expect(await workersOf()).toEqual(before);
  });
});

describe('a render that holds much memory', () => {
  const largeRequest = (): RenderRequest => ({ ...request(noise, { width: 2400 }), format: 'avif' });

  test('leaves a worker to small ones, and the next one like it waits', async () => {
    const renders = await startPool({ workers: 2 });
    const before = renders.stats().rendered;
    const first = renders.runUncharged('render', largeRequest());
    const second = renders.runUncharged('render', largeRequest());
    await expect.poll(() => renders.stats(), { interval: 5 }).toMatchObject({ rendering: 1, queued: 1 });
    expect(await renders.runUncharged('render', request())).toEqual(RENDERED);
    expect(renders.stats()).toMatchObject({ rendering: 1, queued: 1, rendered: before + 1 });
    for (const result of [first, second]) expect(await result).toMatchObject({ outcome: 'rendered', width: 2400 });
  });

  test('goes on beside another one where there is room for both', async () => {
    const renders = await startPool({ workers: 4 });
    const results = [renders.runUncharged('render', largeRequest()), renders.runUncharged('render', largeRequest())];
    await expect.poll(() => renders.stats(), { interval: 5 }).toMatchObject({ rendering: 2, queued: 0 });
    for (const result of results) expect(await result).toMatchObject({ outcome: 'rendered' });
  });
});

describe('a worker that is killed', () => {
  test('in the middle of a render fails that one with 503, the others go on, and the pool heals', async () => {
    const renders = await startPool({ workers: 1 });
    const { result, pid } = await hangingRender(renders);
    const waiting = renders.runUncharged('render', request());
    kill(pid);
    await expect(result).rejects.toEqual(UNAVAILABLE);
    await expect(result).rejects.toMatchObject({ headers: { 'Retry-After': '5' } });
    expect(await waiting).toEqual(RENDERED);
    expect(await renders.runUncharged('render', request())).toEqual(RENDERED);
    expect(renders.stats()).toMatchObject({ rendering: 0, queued: 0 });
  });

  test('while it is idle is replaced, and nobody sees an error', async () => {
    const renders = await startPool({ workers: 2 });
    await Promise.all([renders.runUncharged('render', request()), renders.runUncharged('render', request())]);
    for (let round = 0; round < 3; round++) {
      const killed = await workersOf();
      for (const pid of killed) kill(pid);
      const results = await Promise.all(Array.from({ length: 8 }, () => renders.runUncharged('render', request())));
      expect(results).toEqual(Array.from({ length: 8 }, () => RENDERED));
      for (const pid of await workersOf()) expect(killed).not.toContain(pid);
    }
  });

  test('among several leaves the renders of the others alone', async () => {
    const renders = await startPool({ workers: 2 });
    const first = await hangingRender(renders);
    const second = await hangingRender(renders);
    kill(first.pid);
    await expect(first.result).rejects.toEqual(UNAVAILABLE);
    expect(renders.stats().rendering).toBe(1);
    kill(second.pid, 'SIGCONT');
    expect(await second.result).toMatchObject({ outcome: 'rendered', width: 2000 });
  });
});

describe('a worker that hangs before it begins', () => {
  test('is ended, and the render goes to another one', async () => {
    const renders = await startPool({ workers: 2, timeoutMs: 2000 });
    const stopped = await workersOf();
    for (const pid of stopped) kill(pid, 'SIGSTOP');
    const results = await Promise.all([
      renders.runUncharged('render', request()),
      renders.runUncharged('render', request()),
    ]);
    expect(results).toEqual([RENDERED, RENDERED]);
    for (const pid of stopped) await gone(pid);
  });
});

describe('a render that never ends', () => {
  test('is ended after the time limit with 503, and its worker is replaced', async () => {
    const renders = await startPool({ workers: 1, timeoutMs: 1500 });
    const [worker] = await workersOf();
    const result = renders.runUncharged('render', { ...request(noise, { width: 5000 }), format: 'avif' });
    await expect(result).rejects.toEqual(UNAVAILABLE);
    await expect(result).rejects.toThrow('Rendering took longer than 1500 ms (RENDER_TIMEOUT_MS).');
    await gone(worker as number);
    expect(await renders.runUncharged('render', request())).toEqual(RENDERED);
  });

  test('is ended when its client leaves, and leaves no process behind', async () => {
    const renders = await startPool({ workers: 1 });
    const leaver = new AbortController();
    const { result, pid } = await hangingRender(renders, leaver.signal);
    leaver.abort(new Error('gone'));
    await expect(result).rejects.toThrow('gone');
    await gone(pid);
    expect(await renders.runUncharged('render', request())).toEqual(RENDERED);
  });
});

describe('the queue', () => {
  test('is bounded: one more is refused with 503', async () => {
    const renders = await startPool({ workers: 1, maxQueued: 1 });
    const leaver = new AbortController();
    const { result } = await hangingRender(renders, leaver.signal);
    const waiting = renders.runUncharged('render', request());
    await expect(renders.runUncharged('render', request())).rejects.toEqual(UNAVAILABLE);
    expect(renders.stats()).toMatchObject({ rendering: 1, queued: 1 });
    leaver.abort();
    await expect(result).rejects.toThrow();
    expect(await waiting).toEqual(RENDERED);
  });

  test('is left when a client leaves, before any work is done for it', async () => {
    const renders = await startPool({ workers: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const { result } = await hangingRender(renders, first.signal);
    const wanted = request();
    const waiting = renders.runUncharged('render', wanted, second.signal);
    second.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    first.abort();
    await expect(result).rejects.toThrow();
    await expect(access(wanted.output)).rejects.toThrow();
    expect(renders.stats()).toMatchObject({ rendering: 0, queued: 0, rendered: 1 });
  });
});

describe('a worker that takes too much memory', () => {
  test('is ended with 503 that names the setting, and the pool heals', async () => {
    const renders = await startPool({ workers: 1, memoryBytes: 400 * MEGABYTE });
    // The decoder of HEIC has the whole file in memory, and this one has a hole that takes no room on the disk.
    const large = join(folder, 'large.heic');
    await writeFile(large, Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'));
    await truncate(large, 1500 * MEGABYTE);
    const result = renders.runUncharged('render', request(large));
    await expect(result).rejects.toEqual(UNAVAILABLE);
    await expect(result).rejects.toThrow('400 MB (RENDER_MEMORY_MB)');
    expect(await renders.runUncharged('render', request())).toEqual(RENDERED);
  });
});

describe('a picture that would take a worker more memory than it may hold', () => {
  const refused = (needed: number, limit: number) => ({
    outcome: 'limit exceeded',
    reason: `The image needs a render worker of about ${needed} MB; a worker may hold ${limit} MB (RENDER_MEMORY_MB).`,
  });

  test('is refused before it is decoded, and the reason names the setting', async () => {
    const renders = await startPool({ workers: 1, memoryBytes: 170 * MEGABYTE });
    const deep = join(folder, 'deep.avif');
    await sharp(noise).avif({ effort: 0, quality: 30, bitdepth: 10 }).toFile(deep);
    expect(await renders.runUncharged('render', request(deep))).toEqual(refused(175, 170));
    const output = join(folder, 'focus.json');
    const { limits } = request();
    const focus = { input: deep, output, analysis: { kind: 'interest' }, limits } as const;
    expect(await renders.runUncharged('find', focus)).toEqual(refused(175, 170));
    const conversion = { input: deep, output: join(folder, 'kept.jpg'), limits };
    expect(await renders.runUncharged('convertHeic', conversion)).toEqual(refused(175, 170));
    expect(await renders.runUncharged('render', request(noise))).toMatchObject({ outcome: 'rendered' });
  });

  test('because of what is made of it, too', async () => {
    const renders = await startPool({ workers: 1, memoryBytes: 400 * MEGABYTE });
    const large = join(folder, 'large.png');
    await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: 'red' } }).toFile(large);
    // Turning by other than quarters needs the whole image in memory.
    expect(await renders.runUncharged('render', request(large, { angle: turnBy(45), width: 100 }))).toEqual(
      refused(1541, 400),
    );
    expect(await renders.runUncharged('render', request(large))).toMatchObject({ outcome: 'rendered' });
  });

  test('is not one that only takes long', async () => {
    const renders = await startPool({ workers: 1, memoryBytes: 200 * MEGABYTE });
    // As PNG it counts as 120 MB when it waits for its turn.
    expect(await renders.runUncharged('render', request(photo, { width: 5000, height: 3000 }))).toMatchObject({
      width: 5000,
    });
  });
});

describe('a worker', () => {
  test('retires after many renders without anybody noticing', async () => {
    const renders = await startPool({ workers: 1, rendersPerWorker: 100 });
    await renders.runUncharged('render', request());
    const seen = new Set(await workersOf());
    for (let batch = 0; batch < 11; batch++) {
      const results = await Promise.all(Array.from({ length: 50 }, () => renders.runUncharged('render', request())));
      for (const result of results) expect(result).toEqual(RENDERED);
      for (const worker of await workersOf()) seen.add(worker);
    }
    expect(seen.size).toBeGreaterThanOrEqual(5);
  });

  test('ends when the pool closes, also in the middle of a render', async () => {
    const renders = await startPool({ workers: 2 });
    const { result } = await busyRender(renders);
    const workers = await workersOf();
    await renders.close();
    await expect(result).rejects.toThrow();
    for (const pid of workers) await gone(pid);
  });

  test('ends when its service is killed, idle or busy', async () => {
    const service = startAlone([], `pool.runUncharged('render', ${JSON.stringify(slowRequest())});`);
    await firstLine(service);
    const workers = await workersOf(service.pid);
    expect(workers).toHaveLength(2);
    service.kill('SIGKILL');
    await once(service, 'exit');
    for (const pid of workers) await gone(pid);
  });

  test('has a lower priority than the service: a niceness of 5, in each thread that decodes or encodes', async () => {
    const service = startAlone([]);
    await firstLine(service);
    for (const pid of await workersOf(service.pid)) {
      await expect.poll(() => nicenessOf(pid), { timeout: 30_000 }).toEqual([Math.max(5, getPriority())]);
    }
  });

  test('of a service with an even lower priority, which it may not raise, keeps that and renders', async (context) => {
    // As systemd's Nice=10 has it. Root may do anything, so another user has to try.
    const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    await chmod(folder, 0o777);
    const mayRead = await run(process.execPath, ['-e', ''], { ...user, cwd: import.meta.dirname }).catch(
      () => undefined,
    );
    if (!mayRead) context.skip('another user cannot read the code here');
    const service = startAlone(['nice', '-n', '10'], '', user);
    expect(JSON.parse(await firstLine(service))).toEqual(RENDERED);
    for (const pid of await workersOf(service.pid)) {
      await expect.poll(() => nicenessOf(pid)).toEqual([Math.min(19, getPriority() + 10)]);
    }
  });
});
