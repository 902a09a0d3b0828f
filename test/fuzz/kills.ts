import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Places } from '../catalog/worlds.ts';
import { spawnService, startServiceProcess } from '../process/service-process.ts';
import { environmentOf } from '../s3/bucket.ts';
import { TEST_KEY } from '../service.ts';
import { inPlaces, placeChoice, serviceCombinationsOf } from './chosen-places.ts';
import { judge, verify } from './killed/verdict.ts';
import { Visitor } from './killed/visitor.ts';
import type { FuzzOrder, FuzzReport } from './run.ts';
import { seededRandom } from './seeded-random.ts';

export const unit = 'kills';
export const defaultCount = 40;

const VISITORS = 4;
const LONGEST_LIFE_MS = 1500;
/** One in this many starts is killed as well. */
const STARTS_PER_KILLED_START = 4;
const LONGEST_START_MS = 2500;
/** Timeout for recovery of unfinished changes, in ms. Other nodes recover them after two checks, a minute apart. */
const SETTLED_MS = { sqlite: 60_000, postgres: 180_000 };
const PAUSE_MS = 200;

/**
 * Kills the service at random moments while files are uploaded, renamed, moved, copied, replaced, tagged, deleted and
 * restored. After each start every acknowledged change must be present, and the catalog must match the storage.
 */
export async function fuzz({ count, seed, places = placeChoice() }: FuzzOrder): Promise<FuzzReport> {
  const report = { lines: [] as string[], problems: [] as string[] };
  const combinations = serviceCombinationsOf(places);
  const rounds = Math.ceil(count / combinations.length);
  await inPlaces(combinations, async (where, newPlaces) => {
    const { line, problems } = await killAgainAndAgain(await newPlaces(), rounds, seed);
    report.lines.push(`${where}: ${line}`);
    report.problems.push(...problems.map((problem) => `${where}: ${problem}`));
  });
  return report;
}

async function killAgainAndAgain({ bucket, databaseUrl }: Places, rounds: number, seed: number) {
  const random = seededRandom(seed);
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-kills-'));
  const environment = {
    DATA_DIR: folder,
    API_KEY: TEST_KEY,
    RENDER_WORKERS: '1',
    // Without a full comparison: recovery finds unfinished changes by their records.
    CATALOG_SCAN_INTERVAL_MIN: '0',
    ...(bucket && environmentOf(bucket)),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  };
  const visitors = Array.from({ length: VISITORS }, (_, n) => new Visitor(`visitor-${n}`, random));
  const problems: string[] = [];
  let killedStarts = 0;
  try {
    for (let round = 0; round <= rounds && problems.length === 0; round++) {
      if (random.below(STARTS_PER_KILLED_START) === 0) {
        await killStart(environment, random.below(LONGEST_START_MS));
        killedStarts++;
      }
      const service = await startServiceProcess(environment);
      problems.push(...(await judged(service.url, visitors, environment)));
      const work = round < rounds ? visitors.map((visitor) => visitor.run(service.url)) : [];
      if (round < rounds) await pause(random.below(LONGEST_LIFE_MS));
      await service.end('SIGKILL');
      await Promise.all(work);
      problems.push(...visitors.flatMap((visitor) => visitor.problems));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const answered = visitors.reduce((sum, visitor) => sum + visitor.answered, 0);
  return { line: `${rounds} kills and ${killedStarts} of starts, ${answered} changes acknowledged`, problems };
}

async function killStart(environment: Record<string, string>, afterMs: number): Promise<void> {
  const service = spawnService(environment);
  await pause(afterMs);
  await service.end('SIGKILL');
}

/**
 * Returns the problems that remain once there are none, or at the timeout. Only when no change is under way is the
 * outcome of the unacknowledged ones final.
 */
async function judged(
  url: string,
  visitors: readonly Visitor[],
  environment: Record<string, string>,
): Promise<string[]> {
  const end = performance.now() + SETTLED_MS[environment.DATABASE_URL === undefined ? 'sqlite' : 'postgres'];
  for (;;) {
    const unsettled = await verify(environment);
    const problems = unsettled.length > 0 ? unsettled : await judge(url, visitors);
    if (problems.length === 0 || performance.now() > end) return problems;
    await pause(PAUSE_MS);
  }
}
