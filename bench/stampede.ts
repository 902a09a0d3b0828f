import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startService } from '../test/service.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { cpuSeconds } from './tools/process.ts';
import { median, quantile, table, verdict } from './tools/report.ts';
import { fetchAll } from './tools/requests.ts';
import { type Darkroom, startDarkroom, warm } from './tools/service.ts';

const PHOTO = new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url);
const PROBE = fileURLToPath(new URL('./stampede/probe.ts', import.meta.url));
const VISITORS = 1000;
const COLD_AVIFS = 100;
const LEAVING = 40;
const PROBE_INTERVAL_MS = 10;
/** Time after which clients abort their requests. */
const ABORT_AFTER_MS = 100;
const NAME = 'photo.jpg';

export const stampede: Benchmark = {
  name: 'stampede',
  about: 'request coalescing, hits during renders, abandoned renders',
  async run({ quick }) {
    const photo = await readFile(PHOTO);
    const crowd = await measureCrowd(photo);
    const avifs = quick ? 20 : COLD_AVIFS;
    const [idle, busy] = await withDarkroom(photo, (darkroom) => measureLatency(darkroom, avifs));
    const rounds: { rendered: number; left: number }[] = [];
    for (let round = 0; round < (quick ? 1 : 3); round++) rounds.push(await withDarkroom(photo, measureLeaving));
    const row = (name: string, latencies: number[]) => [
      name,
      ...[0.5, 0.99, 1].map((share) => quantile(latencies, share).toFixed(1)),
      String(latencies.length),
    ];
    const seconds = (of: 'rendered' | 'left') => median(rounds.map((round) => round[of]));
    return [
      `**One cold variant, ${VISITORS} concurrent requests.** ${crowd.answers} responses of 200 with the same bytes after ${crowd.milliseconds.toFixed(0)} ms; renders: ${crowd.renders}.`,
      '',
      verdict('renders', crowd.renders, 'exactly', 1),
      '',
      `**A cached hit while ${avifs} cold AVIFs are rendered.** One request every ${PROBE_INTERVAL_MS} ms from another process, which shares the cores`,
      'with the render workers; latency in ms.',
      '',
      table(['', 'p50', 'p99', 'slowest', 'requests'], [row('idle', idle), row('rendering', busy)]),
      '',
      verdict('p99 while rendering', quantile(busy, 0.99), 'at most', 50, ' ms'),
      '',
      `**${LEAVING} cold AVIFs of 1,600 pixels whose clients abort after ${ABORT_AFTER_MS} ms.** CPU seconds of the service and its workers after the abort,`,
      `medians of ${rounds.length}: ${seconds('left').toFixed(2)} against ${seconds('rendered').toFixed(2)} for rendering ${LEAVING} of them.`,
      '',
      verdict('CPU after the abort in ratio to rendering', seconds('left') / seconds('rendered'), 'at most', 0.1),
    ].join('\n');
  },
};

async function withDarkroom<Result>(photo: Buffer, use: (darkroom: Darkroom) => Promise<Result>): Promise<Result> {
  const darkroom = await startDarkroom();
  try {
    await darkroom.upload(NAME, photo);
    return await use(darkroom);
  } finally {
    await darkroom.stop();
  }
}

/** Runs the service in this process, to read the number of renders from its pool. */
async function measureCrowd(photo: Buffer): Promise<{ answers: number; milliseconds: number; renders: number }> {
  const service = await startService({ PUBLIC_RATE_LIMIT_MAX: '0' });
  await service.upload({ [NAME]: photo });
  const before = service.services.pool.stats().rendered;
  const url = `${service.url}/t/w_900,f_webp/${NAME}`;
  const { bodies, ms: milliseconds } = await fetchAll(Array<string>(VISITORS).fill(url));
  const renders = service.services.pool.stats().rendered - before;
  await service.close();
  const [first] = bodies;
  const answers = bodies.filter((body) => first && body.length > 0 && body.equals(first)).length;
  return { answers, milliseconds, renders };
}

/** Latencies of a cached hit in ms: idle, and while images are rendered. */
async function measureLatency({ url }: Darkroom, avifs: number): Promise<[idle: number[], busy: number[]]> {
  const cached = `${url}/t/w_450,f_webp/${NAME}`;
  await warm(cached);
  const idle = await probeWhile(cached, () => wait(2000));
  const busy = await probeWhile(cached, async () => {
    await fetchAll(Array.from({ length: avifs }, (_, index) => `${url}/t/w_${1000 + index},f_avif/${NAME}`));
  });
  return [idle, busy];
}

async function probeWhile(url: string, work: () => Promise<void>): Promise<number[]> {
  const probe = fork(PROBE, [url, String(PROBE_INTERVAL_MS)]);
  const answer = once(probe, 'message');
  await once(probe, 'spawn');
  await work();
  probe.send('stop');
  const [latencies] = await answer;
  return latencies;
}

/** CPU seconds for rendering images, and for as many others after their clients have aborted. */
async function measureLeaving({ url, pid }: Darkroom): Promise<{ rendered: number; left: number }> {
  const urlOf = (width: number) => `${url}/t/w_${width},f_avif/${NAME}`;
  const order = (first: number) => Array.from({ length: LEAVING }, (_, index) => urlOf(first + index));
  await fetchAll([urlOf(1500)]);
  const start = cpuSeconds(pid);
  await fetchAll(order(1600));
  const rendered = cpuSeconds(pid) - start;
  const leave = new AbortController();
  const leavers = order(1700).map((url) => fetch(url, { signal: leave.signal }).catch(() => undefined));
  await wait(ABORT_AFTER_MS);
  const before = cpuSeconds(pid);
  leave.abort();
  await Promise.all(leavers);
  return { rendered, left: (await cpuWhenQuiet(pid)) - before };
}

/** CPU seconds so far, once the process tree was idle for a second. */
async function cpuWhenQuiet(pid: number): Promise<number> {
  for (let used = cpuSeconds(pid); ; ) {
    await wait(1000);
    const now = cpuSeconds(pid);
    if (now - used <= 0.05) return now;
    used = now;
  }
}
