import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { KEY, openSite, type StartOptions } from '../cluster/nodes.ts';
import { makeOriginals } from '../cold.ts';
import { alternate, median, ratios, spread, table, verdict } from '../tools/report.ts';
import { type Darkroom, startDarkroom } from '../tools/service.ts';
import { timed } from '../tools/timed.ts';

const UNCATALOGUED = fileURLToPath(new URL('uncatalogued/main.ts', import.meta.url));
const WARM_UP = 30;
/** Pairs of processes, and uploads to each: how fast the same code runs differs from one process to the next. */
const SIZES = { full: { pairs: 6, uploads: 50 }, quick: { pairs: 1, uploads: 20 } };

/** The services that are compared, and what one upload to each took, in milliseconds. */
type Pair<T> = Record<'catalogued' | 'uncatalogued', T>;

const ORDER = ['catalogued', 'uncatalogued'] as const;

/** Medians of each pair of processes, by the file. */
type Medians = Map<string, Pair<number>[]>;

/** Uploads over HTTP, to the service and to one that differs from it only in that its changes do not go through the catalog. */
export async function measureUploads(quick: boolean): Promise<string[]> {
  const { pairs, uploads } = quick ? SIZES.quick : SIZES.full;
  const site = await openSite();
  const temp = await mkdtemp(join(tmpdir(), 'upload-bench-'));
  try {
    const files = await filesIn(temp);
    const startNode = async (options: StartOptions) => (await site.startNodes(1, options))[0] as Darkroom;
    const measureAll = async (start: (options: StartOptions) => Promise<Darkroom>) => {
      const medians: Medians = new Map();
      for (let pair = 0; pair < pairs; pair++)
        await withBoth(start, pair % 2 === 0 ? ORDER : ORDER.toReversed(), (services) =>
          measure(services, files, uploads, medians),
        );
      return medians;
    };
    const onDisk = await measureAll(startDarkroom);
    const onBucket = await measureAll(startNode);
    return [
      '### Uploads',
      '',
      `One after another over HTTP, in turn to the service and to one without the catalog; nothing is described meanwhile. ${pairs} pairs of`,
      `new processes, ${uploads} uploads of each file to each. Medians in milliseconds, and of the ratios of the pairs, with their range.`,
      '',
      ...report({ 'disk and SQLite': onDisk, 'bucket and PostgreSQL': onBucket }),
    ];
  } finally {
    await site.close();
    await rm(temp, { recursive: true, force: true });
  }
}

function report(measured: Readonly<Record<string, Medians>>): string[] {
  const rows: string[][] = [];
  const verdicts: string[] = [];
  for (const [where, files] of Object.entries(measured))
    for (const [what, pairs] of files) {
      const [catalogued, uncatalogued] = [pairs.map((pair) => pair.catalogued), pairs.map((pair) => pair.uncatalogued)];
      const found = ratios(catalogued, uncatalogued);
      const times = [catalogued, uncatalogued].map((all) => median(all).toFixed(2));
      rows.push([`${what}, ${where}`, ...times, spread(found)]);
      verdicts.push(verdict(`uploading ${what} (${where}), by the same without`, median(found), 'at most', 1.1));
    }
  return [table(['file', 'with', 'without', 'ratio'], rows), '', ...verdicts];
}

async function filesIn(temp: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const { label, file } of await makeOriginals(temp)) {
    const bytes = await readFile(file);
    if (files.size === 0) files.set('the first 100 KB of a photo', bytes.subarray(0, 100_000));
    files.set(`a photo of ${label} (${(bytes.length / 1e6).toFixed(1)} MB)`, bytes);
  }
  return files;
}

async function withBoth(
  start: (options: StartOptions) => Promise<Darkroom>,
  order: readonly (keyof Pair<unknown>)[],
  use: (services: Pair<Darkroom>) => Promise<void>,
): Promise<void> {
  const environment = { CATALOG_DESCRIBE: 'false' };
  const options: Pair<StartOptions> = {
    catalogued: { environment },
    uncatalogued: { environment, main: UNCATALOGUED },
  };
  const services: Partial<Pair<Darkroom>> = {};
  try {
    for (const name of order) {
      const service = await start(options[name]);
      services[name] = service;
      await listed(service);
    }
    await use(services as Pair<Darkroom>);
  } finally {
    await Promise.all(Object.values(services).map((service) => service.stop()));
  }
}

/** Lists the folder when the first index is complete: from then on its rows are kept right by every upload, which takes longer. */
async function listed({ url }: Darkroom): Promise<void> {
  const get = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: KEY });
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { catalog?: { state: string } };
  };
  while ((await get('/health')).catalog?.state !== 'ready') await setTimeout(20);
  await get('/storage');
}

/** Adds the medians of one pair of processes, by the file. */
async function measure(
  { catalogued, uncatalogued }: Pair<Darkroom>,
  files: ReadonlyMap<string, Buffer>,
  uploads: number,
  medians: Medians,
): Promise<void> {
  let count = 0;
  const uploadTo = (service: Darkroom, bytes: Buffer) => () => timed(() => service.upload(`${count++}.jpg`, bytes));
  for (const [what, bytes] of files) {
    const contestants = { catalogued: uploadTo(catalogued, bytes), uncatalogued: uploadTo(uncatalogued, bytes) };
    await alternate(contestants, WARM_UP);
    const times = await alternate(contestants, uploads);
    const pair = { catalogued: median(times.catalogued), uncatalogued: median(times.uncatalogued) };
    medians.set(what, [...(medians.get(what) ?? []), pair]);
  }
}
