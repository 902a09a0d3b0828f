import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BROWSER, NEGOTIATED, PHOTO, VARIANT } from './cached.ts';
import { makeOriginals, type Order, type Original, renderOverHttp, WARM_UP } from './cold.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { cpuSeconds } from './tools/process.ts';
import { requirePrograms } from './tools/programs.ts';
import { alternate, median, ratios, spread, table, verdict } from './tools/report.ts';
import { type Darkroom, startDarkroom, warm } from './tools/service.ts';
import { loadWith } from './tools/wrk.ts';

/** Ratio below which a version counts as slower. */
const TOLERANCE = 0.97;
const SERVER_CPU = 0;
const CLIENT_CPU = 1;

const CACHED = [
  { label: 'hit, 16 connections', path: VARIANT, connections: 16 },
  { label: 'hit, 64 connections', path: VARIANT, connections: 64 },
  { label: "hit, a browser's headers, 16", path: NEGOTIATED, connections: 16, headers: BROWSER },
] as const;

const COLD = [
  { format: 'jpeg', clients: 1, count: 64, size: 0 },
  { format: 'jpeg', clients: 8, count: 96, size: 0 },
  { format: 'webp', clients: 8, count: 32, size: 0 },
  { format: 'avif', clients: 8, count: 32, size: 0 },
  { format: 'jpeg', clients: 8, count: 48, size: 1 },
] as const;

/** Requests or images per second, and CPU us for each. */
interface Cost {
  rate: number;
  cpu: number;
}

interface Comparison {
  label: string;
  /** Costs of all rounds. */
  ours: Cost[];
  theirs: Cost[];
}

/** Compares this checkout with another one, which needs its packages: `npm run bench versions -- --against=FOLDER`. */
export const versions: Benchmark = {
  name: 'versions',
  about: 'two checkouts next to each other',
  async run({ quick, against }) {
    if (!against) throw new Error('Expected --against=FOLDER, the checkout of another version.');
    requirePrograms('wrk', 'taskset');
    const main = join(resolve(against), 'src/main.ts');
    const comparisons = [...(await compareCached(main, quick)), ...(await compareCold(main, quick))];
    return describe(comparisons);
  },
};

/** New processes in each round, because V8 optimizes the same code differently from one process to the next. */
async function compareCached(main: string, quick: boolean): Promise<Comparison[]> {
  const rounds = quick ? 1 : 16;
  const seconds = quick ? 1 : 2;
  const comparisons: Comparison[] = CACHED.map(({ label }) => ({ label, ours: [], theirs: [] }));
  for (let round = 0; round < rounds; round++) {
    const ours = await startOn({ cpu: SERVER_CPU });
    const theirs = await startOn({ cpu: SERVER_CPU, main });
    const services = round % 2 === 0 ? [ours, theirs] : [theirs, ours];
    for (const [index, request] of CACHED.entries()) {
      for (const darkroom of services) {
        const cost = await measureCached(darkroom, request, quick ? 1 : 2, seconds);
        comparisons[index]?.[darkroom === ours ? 'ours' : 'theirs'].push(cost);
      }
    }
    for (const { stop } of services) await stop();
    process.stderr.write(`  cached ${round + 1}\n`);
  }
  return comparisons;
}

async function measureCached(
  { url, pid }: Darkroom,
  { path, connections, ...rest }: (typeof CACHED)[number],
  warmUpSeconds: number,
  seconds: number,
): Promise<Cost> {
  const headers = 'headers' in rest ? rest.headers : {};
  await warm(url + path, headers);
  const load = { url: url + path, headers, connections, pid, cpu: CLIENT_CPU };
  await loadWith({ ...load, seconds: warmUpSeconds });
  const { rate, cpuMicroseconds } = await loadWith({ ...load, seconds });
  return { rate, cpu: cpuMicroseconds };
}

async function startOn(options: { cpu?: number; main?: string }): Promise<Darkroom> {
  const darkroom = await startDarkroom(options);
  await darkroom.upload('photo.jpg', await readFile(PHOTO));
  return darkroom;
}

async function compareCold(main: string, quick: boolean): Promise<Comparison[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-versions-'));
  const originals = await makeOriginals(folder);
  const services = { ours: await startDarkroom(), theirs: await startDarkroom({ main }) };
  for (const darkroom of Object.values(services)) {
    for (const { name, file } of originals) await darkroom.upload(name, await readFile(file));
    const widths = Array.from({ length: quick ? 8 : WARM_UP }, (_, index) => index + 8);
    await renderOverHttp(darkroom, { original: originals[0], format: 'jpeg', clients: 8, widths });
  }
  let width = 640;
  const comparisons: Comparison[] = [];
  for (const { format, clients, count, size } of COLD) {
    const original: Original = originals[size];
    const rounds = quick ? 1 : 7;
    const orders = Array.from({ length: rounds + 1 }, () => {
      const widths = Array.from({ length: quick ? clients : count }, () => width++);
      return { original, format, clients, widths };
    });
    const run = (darkroom: Darkroom) => {
      const left = [...orders];
      return () => renderBatch(darkroom, left.shift() as Order);
    };
    const costs = await alternate({ ours: run(services.ours), theirs: run(services.theirs) }, rounds + 1);
    const label = `cold, ${original.label} to ${format}, ${clients} clients`;
    comparisons.push({ label, ours: costs.ours.slice(1), theirs: costs.theirs.slice(1) });
    process.stderr.write(`  ${label}\n`);
  }
  for (const { stop } of Object.values(services)) await stop();
  await rm(folder, { recursive: true, force: true });
  return comparisons;
}

async function renderBatch(darkroom: Darkroom, order: Order): Promise<Cost> {
  const before = cpuSeconds(darkroom.pid);
  const milliseconds = await renderOverHttp(darkroom, order);
  const used = cpuSeconds(darkroom.pid) - before;
  const count = order.widths.length;
  return { rate: (count / milliseconds) * 1000, cpu: (used / count) * 1e6 };
}

function describe(comparisons: readonly Comparison[]): string {
  const of = (costs: readonly Cost[], figure: keyof Cost) => costs.map((cost) => cost[figure]);
  const rows = comparisons.map(({ label, ours, theirs }) => [
    label,
    median(of(theirs, 'rate')).toFixed(1),
    median(of(ours, 'rate')).toFixed(1),
    spread(ratios(of(ours, 'rate'), of(theirs, 'rate'))),
    spread(ratios(of(ours, 'cpu'), of(theirs, 'cpu'))),
  ]);
  return [
    'This version and another one, alternately: cached hits (server on CPU 0, wrk on CPU 1, new processes in each round) and cold images',
    'over HTTP (a new width for every request). Median requests per second; ratios of this version to the other, round by round, with range.',
    '',
    table(['request', 'other', 'this', 'this : other', 'CPU'], rows),
    '',
    ...comparisons.map(({ label, ours, theirs }) =>
      verdict(
        `${label}: this version in ratio to the other`,
        median(ratios(of(ours, 'rate'), of(theirs, 'rate'))),
        'at least',
        TOLERANCE,
      ),
    ),
  ].join('\n');
}
