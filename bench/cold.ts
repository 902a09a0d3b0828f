import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { Batch } from './cold/bare-sharp.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { KeepAliveConnection } from './tools/connection.ts';
import { cpuSeconds, killOnExit } from './tools/process.ts';
import { alternate, median, ratios, spread, table, verdict } from './tools/report.ts';
import { type Darkroom, startDarkroom } from './tools/service.ts';

const PHOTO = fileURLToPath(new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url));
const BARE = fileURLToPath(new URL('./cold/bare-sharp.ts', import.meta.url));

const FORMATS = ['jpeg', 'webp', 'avif'] as const;
const CLIENTS = [1, 8] as const;
/** Images per batch. Fast formats get more, because the last ones of a batch leave cores idle. */
const BATCH = { jpeg: 96, webp: 32, avif: 32 } as const;
const BATCH_OF_ONE_CLIENT = 8;
/** Images rendered before the first round, until V8 has compiled the render path. */
export const WARM_UP = 400;
/** Every request gets its own width, so that each is cold. Pages show images of about this size. */
const FIRST_WIDTH = 640;

export interface Original {
  label: string;
  name: string;
  file: string;
}

export type Order = Omit<Batch, 'input' | 'output'> & { original: Original };

interface Renderer {
  pid: number;
  /** Renders a batch. @returns duration in ms */
  render(order: Order): Promise<number>;
}

/** Milliseconds per image. */
interface Cost {
  time: number;
  cpu: number;
}

interface Cell extends Pick<Order, 'format' | 'clients' | 'original'> {
  /** Costs of all rounds by renderer. */
  costs: Record<string, Cost[]>;
}

export const cold: Benchmark = {
  name: 'cold',
  about: 'renders next to bare sharp',
  async run({ quick }) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-cold-'));
    const originals = await makeOriginals(folder);
    const darkroom = await startDarkroom();
    for (const { name, file } of originals) await darkroom.upload(name, await readFile(file));
    // libuv starts four threads by default. One per core may be faster.
    const threads = [...new Set([4, availableParallelism()])].map((count) => startBare(count, folder));
    const service: Renderer = { pid: darkroom.pid, render: (order) => renderOverHttp(darkroom, order) };
    const renderers = { darkroom: service, ...Object.fromEntries(threads.map((bare) => [bare.name, bare])) };
    const small = Array.from({ length: quick ? 8 : WARM_UP }, (_, index) => index + 8);
    for (const renderer of Object.values(renderers)) {
      await renderer.render({ original: originals[0], format: 'jpeg', clients: 8, widths: small });
    }
    const rounds = quick ? 2 : 5;
    const cells: Cell[] = [];
    for (const original of originals) {
      for (const format of FORMATS) {
        let width = FIRST_WIDTH;
        for (const clients of CLIENTS) {
          const batch = clients === 1 ? BATCH_OF_ONE_CLIENT : BATCH[format];
          const costs = await measure(renderers, rounds, () => {
            const widths = Array.from({ length: quick ? clients : batch }, () => width++);
            return { original, format, clients, widths };
          });
          cells.push({ original, format, clients, costs });
          process.stderr.write(`  ${original.label} ${format} ${clients}\n`);
        }
      }
    }
    await darkroom.stop();
    for (const { stop } of threads) await stop();
    await rm(folder, { recursive: true, force: true });
    return describe(cells);
  },
};

export async function makeOriginals(folder: string): Promise<[Original, Original]> {
  const large = join(folder, 'large.jpg');
  await writeFile(large, await sharp(PHOTO).resize(5450).jpeg({ quality: 90 }).toBuffer());
  return [
    { label: '6 MP', name: 'photo.jpg', file: PHOTO },
    { label: '24 MP', name: 'large.jpg', file: large },
  ];
}

/** Discards one batch first. All renderers of a round render the same images. */
async function measure(
  renderers: Readonly<Record<string, Renderer>>,
  rounds: number,
  nextOrder: () => Order,
): Promise<Record<string, Cost[]>> {
  const orders = Array.from({ length: rounds + 1 }, nextOrder);
  const runs = Object.entries(renderers).map(([name, { pid, render }]) => {
    let round = 0;
    const run = async (): Promise<Cost> => {
      const order = orders[round++] as Order;
      const before = cpuSeconds(pid);
      const time = await render(order);
      const count = order.widths.length;
      return { time: time / count, cpu: ((cpuSeconds(pid) - before) * 1000) / count };
    };
    return [name, run] as const;
  });
  const costs = await alternate(Object.fromEntries(runs), rounds + 1);
  return Object.fromEntries(Object.entries(costs).map(([name, values]) => [name, values.slice(1)]));
}

export async function renderOverHttp({ url }: Darkroom, { original, format, widths, clients }: Order): Promise<number> {
  const connections = await Promise.all(Array.from({ length: clients }, () => KeepAliveConnection.open(url)));
  const start = performance.now();
  const left = [...widths];
  const client = async (connection: KeepAliveConnection) => {
    for (let width = left.pop(); width !== undefined; width = left.pop()) {
      const { head, size } = await connection.get(`/t/w_${width},f_${format}/${original.name}`);
      const isRendered = head.startsWith('http/1.1 200') && head.includes('x-cache: miss') && size > 0;
      if (!isRendered) throw new Error(`Expected a cold 200 for width ${width}, received ${head}.`);
    }
  };
  await Promise.all(connections.map(client));
  const time = performance.now() - start;
  for (const connection of connections) connection.close();
  return time;
}

function startBare(threads: number, output: string): Renderer & { name: string; stop(): Promise<void> } {
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(threads) };
  const child = fork(BARE, { env });
  const stop = killOnExit(child);
  return {
    name: `bare, ${threads} threads`,
    pid: child.pid ?? 0,
    async render({ original, ...order }) {
      child.send({ ...order, input: original.file, output } satisfies Batch);
      const [milliseconds] = await once(child, 'message');
      return milliseconds;
    },
    stop,
  };
}

/** Throughput or CPU time in ratio to the faster of the bare scripts in this cell. */
function ratioToBest({ darkroom = [], ...bares }: Record<string, Cost[]>, of: 'throughput' | 'cpu'): number[] {
  const best = Object.values(bares).toSorted((a, b) => median(times(a)) - median(times(b)))[0] ?? [];
  if (of === 'throughput') return ratios(times(best), times(darkroom));
  const cpu = (costs: readonly Cost[]) => costs.map((cost) => cost.cpu);
  return ratios(cpu(darkroom), cpu(best));
}

function times(costs: readonly Cost[]): number[] {
  return costs.map(({ time }) => time);
}

function describe(cells: readonly Cell[]): string {
  const names = Object.keys(cells[0]?.costs ?? {});
  const rows = cells.map(({ original, format, clients, costs }) => [
    `${original.label}, ${format}, ${clients} ${clients === 1 ? 'client' : 'clients'}`,
    ...names.map((name) => (1000 / median(times(costs[name] ?? []))).toFixed(1)),
    spread(ratioToBest(costs, 'throughput')),
    spread(ratioToBest(costs, 'cpu')),
  ]);
  const verdicts = cells
    .filter(({ clients }) => clients === 8)
    .map(({ original, format, costs }) =>
      verdict(
        `${original.label} to ${format}, 8 clients, in ratio to bare sharp`,
        median(ratioToBest(costs, 'throughput')),
        'at least',
        0.9,
      ),
    );
  return [
    `A JPEG to \`w_${FIRST_WIDTH}\` and wider, a new width for every request. The service over HTTP decodes, renders, stores the variant`,
    'and sends. A bare sharp script (`bench/cold/bare-sharp.ts`) rotates, resizes, converts to sRGB and encodes with the same options, with one',
    'thread per operation, as many concurrent renders as clients, and without syncing its files. Alternating rounds.',
    '',
    'Median images per second. Ratios of images per second and of CPU time per image are to the faster bare script, round by round, with range.',
    `The HTTP client shares the host with the service. Each renders ${WARM_UP} small images before the first round.`,
    '',
    table(['original, format', ...names, 'darkroom : bare', 'CPU'], rows),
    '',
    ...verdicts,
  ].join('\n');
}
