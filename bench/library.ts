import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark } from './tools/benchmark.ts';
import { memoryOf, resetPeak } from './tools/process.ts';
import { requirePrograms } from './tools/programs.ts';
import { median, ratios, spread, table } from './tools/report.ts';
import { type Darkroom, startDarkroom } from './tools/service.ts';

const API_KEY = 'library-bench-key-0123456789-0123456789';
const PHOTO = new URL('../test/fixtures/concert.jpg', import.meta.url);
const MEGABYTE = 1024 * 1024;
const LARGE_MB = 45;
const SMALL_FILES = 200;
const PAGE = 100;

interface Measured {
  seconds: number;
  /** MB of resident memory above the state before, at its highest. */
  growth: number;
}

export const library: Benchmark = {
  name: 'library',
  async run({ quick }) {
    requirePrograms('zip', 'curl');
    const rounds = quick ? 1 : 3;
    const folder = await mkdtemp(join(tmpdir(), 'library-bench-'));
    const darkroom = await startDarkroom({ environment: { API_KEY } });
    try {
      const uploads = await measureUploads(darkroom, folder, rounds);
      const listings = await measureListings(darkroom, quick ? [1000] : [10_000, 100_000], rounds);
      const zips = await measureZip(darkroom, folder, quick ? 64 : 1024, rounds);
      return [
        `Medians of ${rounds}, with their range. Memory is the growth of the server process at its peak (VmHWM), in MB; the client is in another`,
        'process. Ratios are taken round by round, next to the program that handles the same bytes.',
        '',
        ...uploads,
        '',
        ...listings,
        '',
        ...zips,
      ].join('\n');
    } finally {
      await darkroom.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function measure({ pid }: Darkroom, act: () => Promise<unknown>): Promise<Measured> {
  resetPeak(pid);
  const before = memoryOf(pid).now;
  const start = performance.now();
  await act();
  return { seconds: (performance.now() - start) / 1000, growth: memoryOf(pid).peak - before };
}

function timed(program: string, ...args: string[]): number {
  const start = performance.now();
  execFileSync(program, args, { stdio: 'ignore' });
  return (performance.now() - start) / 1000;
}

const seconds = (all: readonly Measured[]) => all.map((each) => each.seconds);
const growth = (all: readonly Measured[]) => Math.max(...all.map((each) => each.growth)).toFixed(1);

async function call({ url }: Darkroom, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url + path, { ...init, headers: { ...init.headers, 'x-api-key': API_KEY } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

async function upload(darkroom: Darkroom, folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const form = new FormData();
  form.append('folder', folder);
  for (const [name, bytes] of files) form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  await (await call(darkroom, '/upload', { method: 'POST', body: form })).arrayBuffer();
}

/** Uploads next to `cp` and `sync` of the same files: both end with the bytes on the disk. */
async function measureUploads(darkroom: Darkroom, folder: string, rounds: number): Promise<string[]> {
  const photo = await readFile(PHOTO);
  const large = new Map([['large.jpg', Buffer.concat([photo, randomBytes(LARGE_MB * MEGABYTE - photo.length)])]]);
  const small = new Map(
    Array.from({ length: SMALL_FILES }, (_, n) => [`small-${n}.jpg`, Buffer.concat([photo, Buffer.from(String(n))])]),
  );
  const rows: string[][] = [];
  for (const [name, files] of [
    [`one file of ${LARGE_MB} MB`, large],
    [`${SMALL_FILES} files of ${Math.round(photo.length / 1024)} KB in one request`, small],
  ] as const) {
    const source = join(folder, `upload-${files.size}`);
    await mkdir(source, { recursive: true });
    for (const [file, bytes] of files) await writeFile(join(source, file), bytes);
    await upload(darkroom, 'warm', files);
    const ours: Measured[] = [];
    const copies: number[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await measure(darkroom, () => upload(darkroom, `round-${round}`, files)));
      copies.push(
        timed('sh', '-c', `cp -r "${source}" "${source}-copy" && sync "${source}-copy"/*; rm -r "${source}-copy"`),
      );
    }
    rows.push([name, spread(seconds(ours)), spread(copies), spread(ratios(seconds(ours), copies)), growth(ours)]);
  }
  return ['### Upload', '', table(['', 'seconds', '`cp` and `sync`, s', 'ratio', 'memory, MB'], rows)];
}

async function measureListings(darkroom: Darkroom, sizes: readonly number[], rounds: number): Promise<string[]> {
  const rows: string[][] = [];
  for (const size of sizes) {
    const folder = `folder-${size}`;
    await mkdir(join(darkroom.originals, folder), { recursive: true });
    for (let n = 0; n < size; n += 100) {
      const names = Array.from({ length: 100 }, (_, k) => join(darkroom.originals, folder, `picture ${n + k}.jpg`));
      await Promise.all(names.map((name) => writeFile(name, 'x')));
    }
    const requests: Record<string, () => Promise<unknown>> = {
      'first page of 100': () => ask(darkroom, `/storage?path=${folder}&limit=${PAGE}`),
      'all pages of 1,000, by size': () => turnPages(darkroom, folder),
      'everything at once': () => ask(darkroom, `/storage?path=${folder}`),
      search: () => ask(darkroom, `/storage?path=${folder}&search=99&limit=${PAGE}`),
      summary: () => ask(darkroom, `/storage/folder-summaries?paths=${folder}`),
      stats: () => ask(darkroom, '/storage/stats'),
    };
    for (const [name, act] of Object.entries(requests)) {
      const all: Measured[] = [];
      const finds: number[] = [];
      for (let round = 0; round < rounds; round++) {
        all.push(await measure(darkroom, act));
        finds.push(timed('find', join(darkroom.originals, folder), '-type', 'f', '-printf', '%p %s %T@'));
      }
      const milliseconds = seconds(all).map((each) => each * 1000);
      const ratio = median(ratios(seconds(all), finds)).toFixed(2);
      rows.push([`${size.toLocaleString('en')} files: ${name}`, spread(milliseconds, 0), ratio, growth(all)]);
    }
  }
  return [
    '### Folders',
    '',
    '`find -printf` names every file of the folder with its size and time.',
    '',
    table(['', 'milliseconds', 'ratio to `find`', 'memory, MB'], rows),
  ];
}

async function ask(darkroom: Darkroom, path: string): Promise<Buffer> {
  return Buffer.from(await (await call(darkroom, path)).arrayBuffer());
}

async function turnPages(darkroom: Darkroom, folder: string): Promise<void> {
  const query = `/storage?path=${folder}&limit=1000&sort=size`;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = JSON.parse(String(await ask(darkroom, `${query}${cursor && `&cursor=${cursor}`}`)));
    cursor = page.nextCursor;
  }
}

async function measureZip(darkroom: Darkroom, folder: string, megabytes: number, rounds: number): Promise<string[]> {
  const source = join(darkroom.originals, 'zipped');
  await mkdir(source, { recursive: true });
  for (let n = 0; n < megabytes / 32; n++) await writeFile(join(source, `${n}.mp4`), randomBytes(32 * MEGABYTE));
  const ours: Measured[] = [];
  const zips: number[] = [];
  const copies: number[] = [];
  const target = join(folder, 'archive.zip');
  const url = `${darkroom.url}/download-folder/zipped`;
  for (let round = 0; round < rounds; round++) {
    ours.push(await measure(darkroom, async () => timed('curl', '-sf', '-o', target, url)));
    await rm(target);
    zips.push(timed('zip', '-0', '-r', '-q', target, source));
    await rm(target);
    copies.push(timed('cp', '-r', source, `${target}-copy`));
    await rm(`${target}-copy`, { recursive: true });
  }
  const row = (name: string, all: readonly number[], memory: string) => [
    name,
    spread(all),
    Math.round(megabytes / median(all)).toString(),
    spread(ratios(seconds(ours), all)),
    memory,
  ];
  return [
    `### ZIP of ${megabytes} MB`,
    '',
    'Downloaded by curl into a file.',
    '',
    table(
      ['', 'seconds', 'MB/s', 'ours, in ratio to it', 'memory, MB'],
      [row('`/download-folder`', seconds(ours), growth(ours)), row('`zip -0`', zips, ''), row('`cp`', copies, '')],
    ),
  ];
}
