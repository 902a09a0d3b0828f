import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSite, type StartOptions } from '../cluster/nodes.ts';
import { makeOriginals } from '../cold.ts';
import { alternate, median, table, verdict } from '../tools/report.ts';
import { type Darkroom, startDarkroom } from '../tools/service.ts';
import { timed } from '../tools/timed.ts';

const UNCATALOGUED = fileURLToPath(new URL('uncatalogued/main.ts', import.meta.url));
const WARM_UP = 30;
const UPLOADS = { full: 300, quick: 20 };

/** The services that are compared, and what one upload to each took, in milliseconds. */
type Pair<T> = Record<'catalogued' | 'uncatalogued', T>;

/** Uploads over HTTP, to the service and to one that differs from it only in that its changes do not go through the catalog. */
export async function measureUploads(quick: boolean): Promise<string[]> {
  const uploads = quick ? UPLOADS.quick : UPLOADS.full;
  const site = await openSite();
  const temp = await mkdtemp(join(tmpdir(), 'upload-bench-'));
  try {
    const files = await filesIn(temp);
    const onDisk = await withBoth(startDarkroom, (services) => measure(services, files, uploads));
    const startNode = async (options: StartOptions) => (await site.startNodes(1, options))[0] as Darkroom;
    const onBucket = await withBoth(startNode, (services) => measure(services, files, uploads));
    return [
      '### Uploads',
      '',
      `One after another over HTTP, ${uploads} of each, in turn to the service and to one without the catalog; nothing is described`,
      'meanwhile. Medians in milliseconds.',
      '',
      ...report({ 'disk and SQLite': onDisk, 'bucket and PostgreSQL': onBucket }),
    ];
  } finally {
    await site.close();
    await rm(temp, { recursive: true, force: true });
  }
}

function report(measured: Readonly<Record<string, ReadonlyMap<string, Pair<number[]>>>>): string[] {
  const rows: string[][] = [];
  const verdicts: string[] = [];
  for (const [where, files] of Object.entries(measured))
    for (const [what, times] of files) {
      const [catalogued, uncatalogued] = [median(times.catalogued), median(times.uncatalogued)];
      const ratio = catalogued / uncatalogued;
      rows.push([`${what}, ${where}`, catalogued.toFixed(2), uncatalogued.toFixed(2), ratio.toFixed(2)]);
      verdicts.push(verdict(`uploading ${what} (${where}), by the same without`, ratio, 'at most', 1.1));
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

async function withBoth<T>(
  start: (options: StartOptions) => Promise<Darkroom>,
  use: (services: Pair<Darkroom>) => Promise<T>,
): Promise<T> {
  const environment = { CATALOG_DESCRIBE: 'false' };
  const catalogued = await start({ environment });
  try {
    const uncatalogued = await start({ environment, main: UNCATALOGUED });
    try {
      return await use({ catalogued, uncatalogued });
    } finally {
      await uncatalogued.stop();
    }
  } finally {
    await catalogued.stop();
  }
}

/** @returns what each upload took, by the file */
async function measure(
  { catalogued, uncatalogued }: Pair<Darkroom>,
  files: ReadonlyMap<string, Buffer>,
  uploads: number,
): Promise<Map<string, Pair<number[]>>> {
  let count = 0;
  const uploadTo = (service: Darkroom, bytes: Buffer) => () => timed(() => service.upload(`${count++}.jpg`, bytes));
  const measured = new Map<string, Pair<number[]>>();
  for (const [what, bytes] of files) {
    const contestants = { catalogued: uploadTo(catalogued, bytes), uncatalogued: uploadTo(uncatalogued, bytes) };
    await alternate(contestants, WARM_UP);
    measured.set(what, await alternate(contestants, uploads));
  }
  return measured;
}
