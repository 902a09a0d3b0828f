import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Benchmark } from './tools/benchmark.ts';
import { KeepAliveConnection } from './tools/connection.ts';
import { cpuSeconds } from './tools/process.ts';
import { alternate, median, ratios, spread, table, timed, verdict } from './tools/report.ts';
import { AUTHORIZATION, type Darkroom, startDarkroom } from './tools/service.ts';

const PHOTO = new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url);
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const UNCATALOGUED = fileURLToPath(new URL('./uploads/uncatalogued.ts', import.meta.url));
const ENVIRONMENT = { CATALOG_DESCRIBE: 'false', MAX_FILES_PER_UPLOAD: '1000' };
/** Longer than the check for face detection ten seconds after a start, which takes half a second of CPU. */
const WARM_UP_MS = 12_000;
const MAX_RATIO = 1.15;
const BOUNDARY = 'bench-boundary';
const TYPE = `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n`;
const HEADERS = `${TYPE}Authorization: ${AUTHORIZATION.authorization}\r\n`;

interface Upload {
  label: string;
  bytes: Buffer;
  extension: 'jpg' | 'gif';
  /** In one request. */
  files: number;
  requests: number;
  hasTarget?: true;
}

/** With the catalog, and without. */
type Pair<T> = Record<'full' | 'bare', T>;

/** One upload in one round, in ms per request. */
interface Cost {
  upload: Upload;
  wall: Pair<number>;
  cpu: Pair<number>;
}

export const uploads: Benchmark = {
  name: 'uploads',
  about: 'uploads next to the same service without its catalog',
  async run({ quick }) {
    const rounds = quick ? 1 : 7;
    const cases = await createUploads(quick);
    const costs: Cost[] = [];
    for (let n = 0; n < rounds; n++) costs.push(...(await measureRound(cases, n % 2 === 1, quick ? 0 : WARM_UP_MS)));
    const rows: string[][] = [];
    const verdicts: string[] = [];
    for (const { label, hasTarget } of cases) {
      const row = [label];
      rows.push(row);
      for (const kind of ['wall', 'cpu'] as const) {
        const pairs = costs.filter(({ upload }) => upload.label === label).map((cost) => cost[kind]);
        const full = pairs.map((pair) => pair.full);
        const bare = pairs.map((pair) => pair.bare);
        const found = ratios(full, bare);
        row.push(median(bare).toFixed(2), median(full).toFixed(2), spread(found));
        const what = `${label}, ${kind === 'wall' ? 'time' : 'CPU'} in ratio to the same without the catalog`;
        if (hasTarget) verdicts.push(verdict(what, median(found), 'at most', MAX_RATIO));
      }
    }
    return [
      'One request after another over HTTP, alternately to the service and to the same service whose uploads skip the catalog',
      '(`bench/uploads/uncatalogued.ts`): it receives, checks, locks, syncs and reports in the same way, but writes no intent,',
      'row or fingerprint. No setting turns the catalog off. On a disk with SQLite. Descriptions are off: they follow in the',
      `background. ${rounds} rounds with new processes. Median ms per request, CPU of all processes; ratios round by round.`,
      '',
      table(['upload', 'without', 'with', 'ratio', 'CPU without', 'CPU with', 'CPU ratio'], rows),
      '',
      ...verdicts,
    ].join('\n');
  },
};

async function createUploads(quick: boolean): Promise<Upload[]> {
  const photo = await readFile(PHOTO);
  const large = Buffer.concat(Array.from({ length: 25 }, () => photo)).subarray(0, 20_000_000);
  const count = (full: number) => (quick ? Math.ceil(full / 20) : full);
  const jpeg = { extension: 'jpg', files: 1 } as const;
  return [
    { ...jpeg, label: '100 KB', bytes: photo.subarray(0, 100_000), requests: count(200), hasTarget: true },
    { ...jpeg, label: '6 MP JPEG (0.8 MB)', bytes: photo, requests: count(100), hasTarget: true },
    { ...jpeg, label: '20 MB', bytes: large, requests: count(10) },
    { label: `form of ${count(1000)} tiny files`, bytes: PIXEL, extension: 'gif', files: count(1000), requests: 1 },
  ];
}

/** Measures all uploads with a new pair of processes. */
async function measureRound(cases: readonly Upload[], isReversed: boolean, warmUpMs: number): Promise<Cost[]> {
  const full = await startDarkroom({ environment: ENVIRONMENT });
  const bare = await startDarkroom({ environment: ENVIRONMENT, main: UNCATALOGUED });
  await untilIndexed(full);
  const connections = [await KeepAliveConnection.open(full.url), await KeepAliveConnection.open(bare.url)] as const;
  const sendBoth = async (upload: Upload, times: number): Promise<Pair<number[]>> => {
    const toFull = { full: () => timed(() => send(connections[0], upload)) };
    const toBare = { bare: () => timed(() => send(connections[1], upload)) };
    return alternate(isReversed ? { ...toBare, ...toFull } : { ...toFull, ...toBare }, times);
  };
  const costs: Cost[] = [];
  const end = performance.now() + warmUpMs;
  while (performance.now() < end) for (const upload of cases.slice(0, 2)) await sendBoth(upload, 10);
  for (const upload of cases) {
    const before = { full: cpuSeconds(full.pid), bare: cpuSeconds(bare.pid) };
    const times = await sendBoth(upload, upload.requests);
    const cpuMs = (seconds: number) => (seconds * 1000) / upload.requests;
    const cpu = { full: cpuMs(cpuSeconds(full.pid) - before.full), bare: cpuMs(cpuSeconds(bare.pid) - before.bare) };
    costs.push({ upload, wall: { full: median(times.full), bare: median(times.bare) }, cpu });
  }
  for (const connection of connections) connection.close();
  await Promise.all([full.stop(), bare.stop()]);
  return costs;
}

/** Lists the root once the first index is complete: from then on every upload keeps its rows current. */
async function untilIndexed({ url }: Darkroom): Promise<void> {
  const get = async (path: string) => (await fetch(url + path, { headers: AUTHORIZATION })).text();
  while (!/"state":"ready"/.test(await get('/health'))) await wait(20);
  await get('/storage');
}

let names = 0;

async function send(connection: KeepAliveConnection, { bytes, extension, files }: Upload): Promise<void> {
  const parts = Array.from({ length: files }, () => {
    const disposition = `form-data; name="files"; filename="${names++}.${extension}"`;
    return [Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: ${disposition}\r\n\r\n`), bytes, Buffer.from('\r\n')];
  });
  const { head } = await connection.post('/upload', HEADERS, [...parts.flat(), Buffer.from(`--${BOUNDARY}--\r\n`)]);
  if (!head.startsWith('http/1.1 200')) throw new Error(`An upload failed: ${head}`);
}
