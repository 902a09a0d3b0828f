import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startS3Server } from '../../test/s3/server.ts';
import { createBucket } from '../tools/bucket.ts';
import { memoryOf } from '../tools/process.ts';
import { quantile, timed } from '../tools/report.ts';
import { AUTHORIZATION, type Darkroom, startDarkroom } from '../tools/service.ts';
import { costOf } from './cost.ts';
import { CONTENT, createOriginals, createVariants, originalsOf, VARIANT_BYTES } from './created-files.ts';
import type { Cost, Row } from './row.ts';

const MEGABYTE = 1024 * 1024;
/** Share of its budget to which an eviction shrinks the cache. */
const CACHE_TARGET = 0.9;
/** Of the other file, there and back. */
const RENAMES = [
  ['a.jpg', 'b.jpg'],
  ['b.jpg', 'a.jpg'],
] as const;
const POLL_MS = 50;

const CACHE = { sizes: [10_000, 100_000, 1_000_000], quickSizes: [1000, 4000] };
const DISK = { sizes: [1000, 10_000, 100_000], quickSizes: [100, 400] };
const BUCKET = { sizes: [1000, 10_000], quickSizes: [100, 200] };

/** Rows on files: the cache of variants, and folders of originals on a disk and in a bucket. */
export const rowsOfFiles: readonly Row[] = [
  ...rowsOf(CACHE, measureCache, {
    start: { label: 'start with cached variants', kind: 'look-up' },
    eviction: { label: 'count of cached variants, eviction of a tenth', kind: 'whole' },
  }),
  ...rowsOf(DISK, measureDisk, {
    archive: { label: 'ZIP of a folder', kind: 'whole' },
    move: { label: 'move of a folder', kind: 'whole' },
    deletion: { label: 'deletion of a folder', kind: 'whole' },
    other: { label: 'change of another folder meanwhile, p95', kind: 'look-up' },
  }),
  ...rowsOf(BUCKET, measureBucket, {
    move: { label: 'move of a folder in a bucket', kind: 'whole' },
    deletion: { label: 'deletion of a folder in a bucket', kind: 'whole' },
    other: { label: 'change of another folder in the bucket meanwhile, p95', kind: 'look-up' },
  }),
];

type Costs<Part extends string> = Record<Part, Cost>;
type Changes = 'move' | 'deletion' | 'other';

/** Rows that share the preparation of each size: they are measured together. */
function rowsOf<Part extends string>(
  sizes: Pick<Row, 'sizes' | 'quickSizes'>,
  measure: (size: number) => Promise<Costs<Part>>,
  rows: Readonly<Record<Part, Pick<Row, 'label' | 'kind'>>>,
): Row[] {
  const measured = new Map<number, Promise<Costs<Part>>>();
  const costsOf = (size: number) => {
    const costs = measured.get(size) ?? measure(size);
    measured.set(size, costs);
    return costs;
  };
  return (Object.keys(rows) as Part[]).map((part) => ({
    ...rows[part],
    ...sizes,
    measure: async (size) => (await costsOf(size))[part],
  }));
}

async function measureCache(size: number): Promise<Costs<'start' | 'eviction'>> {
  return withFolder(async (data) => {
    createVariants(join(data, 'variants'), size);
    const start = await withService({ data }, async (service, startMs) => {
      const ms = startMs + (await timed(() => request(service, 'GET', '/health')));
      const { peak: megabytes } = memoryOf(service.pid);
      await service.longestStall();
      await untilCached(service, size);
      return { ms, megabytes, stallMs: await service.longestStall() };
    });
    const megabytes = size / 1000;
    const left = Math.floor((CACHE_TARGET * megabytes * MEGABYTE) / VARIANT_BYTES);
    const eviction = await withService({ data, CACHE_MAX_SIZE_MB: String(megabytes) }, (service) =>
      costOf(service, () => untilCached(service, left)),
    );
    return { start, eviction };
  });
}

/** Polls at growing intervals: responses of the service take memory too. */
async function untilCached(service: Darkroom, count: number): Promise<void> {
  for (let pollMs = POLL_MS; ; pollMs *= 1.02) {
    const metrics = await request(service, 'GET', '/metrics');
    if (Number(/^darkroom_cache_files (\d+)/m.exec(`${metrics}`)?.[1]) === count) return;
    await wait(pollMs);
  }
}

async function measureDisk(size: number): Promise<Costs<Changes | 'archive'>> {
  return withFolder(async (data) => {
    createOriginals(join(data, 'originals'), size);
    return withService({ data }, async (service) => {
      await untilIndexed(service);
      const archive = await costOf(service, () => request(service, 'GET', '/download-folder/old'));
      return { archive, ...(await measureChanges(service)) };
    });
  });
}

async function measureBucket(size: number): Promise<Costs<Changes>> {
  const server = await startS3Server();
  try {
    const { environment, put } = await createBucket(server);
    await put(originalsOf(size), CONTENT);
    return await withFolder((data) =>
      withService({ data, ...environment }, async (service) => {
        await untilIndexed(service);
        return measureChanges(service);
      }),
    );
  } finally {
    await server.close();
  }
}

async function measureChanges(service: Darkroom): Promise<Costs<Changes>> {
  const others: number[] = [];
  const move = await costOf(service, () =>
    besides(service, others, () => request(service, 'PATCH', '/storage/old', { name: 'new' })),
  );
  const deletion = await costOf(service, () =>
    besides(service, others, () => request(service, 'DELETE', '/storage/new?recursive=true')),
  );
  return { move, deletion, other: { ms: quantile(others, 0.95), megabytes: 0, stallMs: 0 } };
}

/** Renames a file in another folder again and again until the work ends. @param times receives the durations, in ms */
async function besides(service: Darkroom, times: number[], work: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  while (!isDone)
    for (const [from, name] of RENAMES)
      times.push(await timed(() => request(service, 'PATCH', `/storage/other/${from}`, { name })));
  await working;
}

async function untilIndexed(service: Darkroom): Promise<void> {
  while (!`${await request(service, 'GET', '/health')}`.includes('"state":"ready"')) await wait(POLL_MS);
}

async function request(
  { url }: Darkroom,
  method: string,
  path: string,
  body?: Record<string, string>,
): Promise<Buffer> {
  const headers = { ...AUTHORIZATION, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(url + path, { method, headers, body: body ? JSON.stringify(body) : null });
  const received = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${received}`);
  return received;
}

async function withService<T>(
  { data, ...environment }: { data: string } & Record<string, string>,
  use: (service: Darkroom, startMs: number) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  // Describing would go on in the background.
  const service = await startDarkroom({
    data,
    environment: { CATALOG_DESCRIBE: 'false', ...environment },
    isProbed: true,
  });
  try {
    return await use(service, performance.now() - startedAt);
  } finally {
    await service.stop();
  }
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-scale-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
