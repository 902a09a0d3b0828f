import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type S3Server, startS3Server } from '../test/s3/server.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { type Bucket, createBucket } from './tools/bucket.ts';
import { memoryOf, resetPeak } from './tools/process.ts';
import { requirePrograms } from './tools/programs.ts';
import { alternate, ratios, spread, table, whole } from './tools/report.ts';
import { timeVariants } from './tools/requests.ts';
import { API_KEY, type Darkroom, startDarkroom, warm } from './tools/service.ts';
import { loadWith } from './tools/wrk.ts';

const PHOTO = new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url);
const VIDEO = new URL('../test/fixtures/schizo_90.mp4', import.meta.url);
const MEGABYTE = 1024 * 1024;
const CACHED = '/t/w_450,f_webp/photo.jpg';

/** Capacity for the largest upload and its copy in parts. */
const STORE_BYTES = String(12 * 1024 * MEGABYTE);

interface Bench {
  disk: Darkroom;
  bucket: Darkroom;
  put: Bucket['put'];
  environment: Record<string, string>;
}

export const s3: Benchmark = {
  name: 's3',
  about: 'a bucket next to a disk',
  async run({ quick }) {
    requirePrograms('wrk', 'curl', 'taskset');
    process.env.S3_TEST_BYTES = STORE_BYTES;
    const server = await startS3Server();
    const folder = await mkdtemp(join(tmpdir(), 's3-bench-'));
    const bench = await startBoth(server);
    try {
      const rounds = quick ? 1 : 3;
      return [
        'The service on a disk and on a bucket of the Ceph RADOS Gateway. The gateway is in memory on the same host, so that the figures',
        'include the requests of the service but no network. Medians with range; ratios round by round.',
        '',
        ...(await measureDelivery(bench, rounds, quick ? 3 : 10)),
        '',
        ...(await measureRename(bench, quick ? 500 : 10_000)),
        '',
        ...(await measureUpload(bench, folder, quick ? 64 : 5 * 1024)),
      ].join('\n');
    } finally {
      await Promise.all([bench.disk.stop(), bench.bucket.stop()]);
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function startBoth(server: S3Server): Promise<Bench> {
  const { put, environment: location } = await createBucket(server);
  const limits = { MAX_FILE_SIZE_MB: '6000', MAX_REQUEST_SIZE_MB: '7000' };
  const environment = { ...limits, ...location };
  const disk = await startDarkroom({ environment: limits });
  return { disk, bucket: await startDarkroom({ environment }), put, environment };
}

async function measureDelivery({ disk, bucket, environment }: Bench, rounds: number, variants: number) {
  const photo = await readFile(PHOTO);
  for (const service of [disk, bucket]) {
    await service.upload('photo.jpg', photo);
    await warm(service.url + CACHED);
  }
  const load = ({ url, pid }: Darkroom) =>
    loadWith({ url: url + CACHED, pid, connections: 32, seconds: rounds === 1 ? 1 : 5, cpu: 1 });
  const cached = await alternate({ disk: () => load(disk), bucket: () => load(bucket) }, rounds);
  // New widths in every round, so that every request is cold.
  const widths = { disk: 100, bucket: 100 };
  const cold = await alternate(
    {
      disk: () => timeVariants(disk, widths.disk++, variants),
      bucket: () => timeVariants(bucket, widths.bucket++, variants),
    },
    2 * rounds,
  );
  const other = await startDarkroom({ environment });
  const found: number[] = [];
  for (let round = 0; round < 2 * rounds - 1; round++) found.push(await timeVariants(other, 100 + round, variants));
  await other.stop();
  const rates = (results: { rate: number }[]) => results.map(({ rate }) => rate);
  return [
    '### Delivery',
    '',
    table(
      ['', 'disk', 'bucket', 'bucket in ratio to disk'],
      [
        [
          'cached, requests/s',
          spread(rates(cached.disk), 0),
          spread(rates(cached.bucket), 0),
          spread(ratios(rates(cached.bucket), rates(cached.disk))),
        ],
        ['cold, ms', spread(cold.disk, 0), spread(cold.bucket, 0), spread(ratios(cold.bucket, cold.disk))],
        ['rendered by another node, ms', '', spread(found, 0), ''],
      ],
    ),
  ];
}

async function measureRename({ disk, bucket, put }: Bench, count: number): Promise<string[]> {
  const paths = Array.from({ length: count }, (_, n) => `old/${n % 10}/image ${n}.jpg`);
  const bytes = Buffer.alloc(1000);
  for (let n = 0; n < 10; n++) await mkdir(join(disk.originals, `old/${n}`), { recursive: true });
  for (const path of paths) await writeFile(join(disk.originals, path), bytes);
  await put(paths, bytes);
  const rows: string[][] = [];
  for (const [label, service] of [
    ['disk', disk],
    ['bucket', bucket],
  ] as const) {
    resetPeak(service.pid);
    const before = memoryOf(service.pid).now;
    const start = performance.now();
    await rename(service, 'old', 'new');
    const seconds = (performance.now() - start) / 1000;
    rows.push([label, seconds.toFixed(2), whole(count / seconds), (memoryOf(service.pid).peak - before).toFixed(1)]);
  }
  const head = ['', 'seconds', 'files/s', 'memory, MB'];
  return [`### Renaming a folder of ${whole(count)} files`, '', 'Once each.', '', table(head, rows)];
}

async function measureUpload({ disk, bucket }: Bench, folder: string, megabytes: number): Promise<string[]> {
  const file = join(folder, 'large.mp4');
  await writeFile(file, await readFile(VIDEO));
  await using handle = await open(file, 'r+');
  await handle.truncate(megabytes * MEGABYTE);
  const rows: string[][] = [];
  for (const [label, service] of [
    ['disk', disk],
    ['bucket', bucket],
  ] as const) {
    resetPeak(service.pid);
    const before = memoryOf(service.pid).now;
    const start = performance.now();
    const args = ['-sf', '-H', `x-api-key: ${API_KEY}`, '-F', `files=@${file};type=video/mp4`, `${service.url}/upload`];
    execFileSync('curl', args, { stdio: 'ignore' });
    const seconds = (performance.now() - start) / 1000;
    rows.push([
      label,
      seconds.toFixed(1),
      whole(megabytes / seconds),
      (memoryOf(service.pid).peak - before).toFixed(1),
    ]);
  }
  return [
    `### Uploading ${whole(megabytes)} MB`,
    '',
    'Sent by curl; memory is the peak growth of the server process (VmHWM). Once each.',
    '',
    table(['', 'seconds', 'MB/s', 'memory, MB'], rows),
  ];
}

async function rename({ url }: Darkroom, folder: string, name: string): Promise<void> {
  const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' };
  const response = await fetch(`${url}/storage/${folder}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ name }),
  });
  if (!response.ok) throw new Error(`Rename of ${folder}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
