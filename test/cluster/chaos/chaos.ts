import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BucketSettings } from '../../../src/storage/s3/bucket.ts';
import { seededRandom } from '../../fuzz/seeded-random.ts';
import { type ServiceProcess, startServiceProcess } from '../../process/service-process.ts';
import { TEST_KEY } from '../../service.ts';
import { H264, openStudio, redLeftBlueRight } from '../../video-samples.ts';
import { judge } from './verdict.ts';
import { type Promises, Visitors } from './visitors.ts';

export interface ChaosOrder {
  databaseUrl: string;
  bucket: BucketSettings;
  nodes: number;
  /** Number of killed nodes. */
  rounds: number;
  seed: number;
}

/** Responses between two kills. */
const ANSWERS_PER_ROUND = 40;
const PAUSE_MS = 50;

interface Place {
  folder: string;
  node: ServiceProcess;
}

/**
 * Kills and restarts the nodes of one installation one after another, while visitors store, view, transcode and delete
 * through all of them.
 * @returns a summary, and one line for each broken promise
 */
export async function runChaos(order: ChaosOrder): Promise<{ lines: string[]; problems: string[] }> {
  const random = seededRandom(order.seed);
  const start = createStart(order);
  const film = await makeFilm();
  const places: Place[] = [];
  const done = new AbortController();
  try {
    for (let n = 0; n < order.nodes; n++) places.push(await createPlace(start));
    const urls = () => places.map(({ node }) => node.url);
    const visitors = new Visitors({ urls, film, random, signal: done.signal });
    const visits = visitors.run();
    for (let round = 0; round < order.rounds; round++) {
      await moreAnswers(visitors.promises);
      const place = random.pick(places);
      await place.node.end('SIGKILL');
      place.node = await start(place.folder);
    }
    await moreAnswers(visitors.promises);
    done.abort();
    await visits;
    const { promises } = visitors;
    const problems = await judge({ promises, urls: urls(), ...order });
    return { lines: [summary(promises)], problems };
  } finally {
    done.abort();
    await Promise.all(places.map(({ node }) => node.end('SIGKILL')));
    await Promise.all(places.map(({ folder }) => rm(folder, { recursive: true, force: true })));
  }
}

function summary({ stored, deleted, transcodes, answered, unanswered }: Promises): string {
  const kept = `${stored.size} files kept, ${deleted.size} deleted, ${transcodes.size} transcodes`;
  return `${answered} requests answered, ${unanswered} not; ${kept}`;
}

function createStart({ databaseUrl, bucket }: ChaosOrder) {
  const environment = {
    STORAGE_BUCKET_NAME: bucket.bucket,
    STORAGE_ENDPOINT: bucket.endpoint ?? '',
    STORAGE_ACCESS_KEY_ID: bucket.accessKeyId,
    STORAGE_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    DATABASE_URL: databaseUrl,
    API_KEY: TEST_KEY,
    RENDER_WORKERS: '1',
    VIDEO_MAX_CONCURRENT: '1',
    // A job of a killed node restarts soon.
    VIDEO_JOB_LEASE_MS: '5000',
    LOG_LEVEL: 'info',
  };
  return (folder: string) => startServiceProcess({ ...environment, DATA_DIR: folder });
}

async function createPlace(start: (folder: string) => Promise<ServiceProcess>): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-chaos-'));
  return { folder, node: await start(folder) };
}

async function makeFilm(): Promise<Uint8Array> {
  const studio = await openStudio();
  try {
    return await readFile(await studio.make('film.mp4', ...redLeftBlueRight('64x36'), ...H264));
  } finally {
    await studio.close();
  }
}

async function moreAnswers(promises: Promises): Promise<void> {
  const enough = promises.answered + ANSWERS_PER_ROUND;
  while (promises.answered < enough) await pause(PAUSE_MS);
}
