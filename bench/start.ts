import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Benchmark } from './tools/benchmark.ts';
import { cpuSeconds, descendantsOf, killOnExit, memoryOfAll } from './tools/process.ts';
import { alternate, median, ratios, spread, table, timed, verdict } from './tools/report.ts';
import { type Darkroom, startDarkroom } from './tools/service.ts';

const PHOTO = new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url);
const BARE = fileURLToPath(new URL('./start/bare-node.mjs', import.meta.url));
const POLL_MS = 2;
/** Longer than the face detection check of a start and `RENDER_WORKER_IDLE_MS` after it. */
const IDLE_MS = 60_000;
const TARGETS = { idleMegabytes: 150, startRatio: 1.2, firstImageMs: 300 };

/** Start of a process, from its spawn to its first response. */
interface Start {
  milliseconds: number;
  cpuMs: number;
  /** Proportional set size of all processes, in MB. */
  megabytes: number;
}

export const start: Benchmark = {
  name: 'start',
  about: 'start, first image and idle memory',
  async run({ quick }) {
    const rounds = quick ? 2 : 9;
    // The first start of each fills Node's compile cache.
    await alternate({ service: startService, bare: startBare }, 1);
    const starts = await alternate({ service: startService, bare: startBare }, rounds);
    const times = (name: keyof typeof starts, value: keyof Start) => starts[name].map((one) => one[value]);
    const bareMegabytes = median(times('bare', 'megabytes'));
    const { delays, idle } = await measureIdle(quick);
    const startRatio = median(ratios(times('service', 'milliseconds'), times('bare', 'milliseconds')));
    const row = (label: string, name: keyof typeof starts) => [
      label,
      spread(times(name, 'milliseconds'), 0),
      spread(times(name, 'cpuMs'), 0),
      spread(times(name, 'megabytes'), 0),
    ];
    return [
      'From the spawn of `node` to the first 200 of `/health`, with an empty data folder and Node’s compile cache.',
      `Bare Node imports fastify, sharp and better-sqlite3 and listens. Medians of ${rounds} rounds in alternation.`,
      'Memory is the proportional set size of all processes, at the first response.',
      '',
      table(['', 'ms', 'CPU ms', 'MB'], [row('the service', 'service'), row('bare Node', 'bare')]),
      '',
      `CPU: ${spread(ratios(times('service', 'cpuMs'), times('bare', 'cpuMs')))} of bare Node.`,
      `Idle for ${quick ? 'a short time' : `${IDLE_MS / 1000} s`}: ${idle.toFixed(0)} MB, bare Node ${bareMegabytes.toFixed(0)}.`,
      'First image later than the second, ms:',
      '',
      table(
        ['', 'after a start', 'after idling'],
        [['ms', spread(delays.afterStart, 0), spread(delays.afterIdling, 0)]],
      ),
      '',
      verdict('start, of bare Node', startRatio, 'at most', TARGETS.startRatio),
      verdict('first image after a start', median(delays.afterStart), 'at most', TARGETS.firstImageMs, ' ms later'),
      verdict('idle memory', idle, 'at most', TARGETS.idleMegabytes, ' MB'),
    ].join('\n');
  },
};

async function startService(): Promise<Start> {
  const port = await freePort();
  const startedAt = performance.now();
  const starting = startDarkroom({ environment: { PORT: String(port) } });
  await firstResponse(port);
  const milliseconds = performance.now() - startedAt;
  const { pid, stop } = await starting;
  const measured = { milliseconds, ...usageOf(pid) };
  await stop();
  return measured;
}

async function startBare(): Promise<Start> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [BARE], { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  const end = killOnExit(child);
  await firstResponse(port);
  const milliseconds = performance.now() - startedAt;
  const measured = { milliseconds, ...usageOf(child.pid ?? 0) };
  await end();
  return measured;
}

function usageOf(pid: number): Omit<Start, 'milliseconds'> {
  return { cpuMs: cpuSeconds(pid) * 1000, megabytes: memoryOfAll(pid) };
}

/** Delays of the first image, in ms, and the memory of an idle service, in MB. */
async function measureIdle(quick: boolean) {
  const data = await mkdtemp(join(tmpdir(), 'darkroom-start-'));
  const environment: Record<string, string> = quick ? { RENDER_WORKER_IDLE_MS: '1000' } : {};
  const afterStart: number[] = [];
  const afterIdling: number[] = [];
  const idle: number[] = [];
  let width = 300;
  try {
    const first = await startDarkroom({ data });
    await first.upload('photo.jpg', await readFile(PHOTO));
    await first.stop();
    for (let round = 0; round < (quick ? 1 : 3); round++) {
      const darkroom = await startDarkroom({ data, environment });
      const delay = async () => (await render(darkroom, width++)) - (await render(darkroom, width++));
      afterStart.push(await delay());
      if (!quick) await wait(IDLE_MS);
      while (descendantsOf(darkroom.pid).length > 0) await wait(100);
      idle.push(memoryOfAll(darkroom.pid));
      afterIdling.push(await delay());
      await darkroom.stop();
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
  return { delays: { afterStart, afterIdling }, idle: median(idle) };
}

function render({ url }: Darkroom, width: number): Promise<number> {
  return timed(async () => {
    const response = await fetch(`${url}/t/w_${width}/photo.jpg`);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`Expected an image, received ${response.status}.`);
  });
}

async function firstResponse(port: number): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await wait(POLL_MS);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
