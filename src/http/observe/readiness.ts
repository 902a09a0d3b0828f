import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { LATE, within } from '../../concurrency.ts';
import { parsePath } from '../../path.ts';
import type { Services } from '../../services.ts';

export const CHECKS = ['database', 'storage', 'render'] as const;
export type Check = (typeof CHECKS)[number];

const UNKNOWN: Readonly<Record<Check, string>> = { database: 'unknown', storage: 'unknown', render: 'unknown' };

/** Balancers ask often, and several at once. Checks begin at most once in this time. */
const INTERVAL_MS = 1000;
/** Results that are older say nothing any more. */
const MAX_AGE_MS = 60_000;
const TIMEOUT_MS = 5000;

const ONE_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Makes the function that says at once how the service is: serving, or not because it stops or its database is lost. The things that
 * it depends on are tried in the background while somebody asks, and decide nothing: a bucket that is slow is slow for every node,
 * and a balancer that acted on it would take them all out at once.
 * @param isServing whether the service was not told to stop
 * @param now milliseconds of a clock that nobody sets
 */
export function createReadiness(
  services: Services,
  isServing: () => boolean,
  now: () => number = () => performance.now(),
) {
  let begunAt = Number.NEGATIVE_INFINITY;
  let isChecking = false;
  let found: { checks: Readonly<Record<Check, string>>; at: number; date: Date } | undefined;

  async function check(): Promise<void> {
    isChecking = true;
    begunAt = now();
    const checks = await checkAll(services);
    isChecking = false;
    found = { checks, at: now(), date: new Date() };
  }

  return () => {
    if (!isChecking && now() - begunAt >= INTERVAL_MS) void check();
    const recent = found !== undefined && now() - found.at <= MAX_AGE_MS ? found : undefined;
    return {
      /**
       * Why requests should go elsewhere; undefined when they should not. It follows from the state of the service alone: the
       * database file is looked at with the other checks, and whenever a key is changed.
       */
      complaint: isServing() ? services.database.file.complaint : 'The service is stopping',
      /** `ok`, what is wrong, or `unknown`. */
      checks: recent?.checks ?? UNKNOWN,
      checkedAt: recent?.date,
    };
  };
}

async function checkAll(services: Services): Promise<Readonly<Record<Check, string>>> {
  const tries: Record<Check, () => Promise<unknown>> = {
    database: () => checkDatabase(services),
    storage: () => services.originals.store.stat(parsePath('readiness-probe')),
    render: () => renderPixel(services),
  };
  const results = CHECKS.map(async (name) => {
    try {
      await inTime(tries[name]());
      return [name, 'ok'];
    } catch (error) {
      // The client has shown no key, so the reason goes only to the log.
      services.log.warn({ err: error, check: name }, 'a check failed');
      return [name, error instanceof TimeoutError ? `no answer within ${TIMEOUT_MS} ms` : 'failed'];
    }
  });
  return Object.fromEntries(await Promise.all(results)) as Record<Check, string>;
}

async function checkDatabase({ database }: Services): Promise<void> {
  await database.file.assertLasting();
  await sql`select 1`.execute(database.db);
}

/** When all workers are busy, they can render, and a probe would only wait behind the visitors. */
async function renderPixel({ pool, temp, config }: Services): Promise<void> {
  const { rendering, workers } = pool.stats();
  if (rendering >= workers) return;
  const input = join(temp, `${randomUUID()}.png`);
  const output = join(temp, randomUUID());
  try {
    await writeFile(input, ONE_PIXEL);
    const { limits } = config;
    const request = { inputs: { original: input }, output, options: { width: 1 }, format: 'png', limits } as const;
    const result = await pool.runUncharged('render', request);
    if (result.outcome !== 'rendered') throw new Error(`Rendering a pixel ended with "${result.outcome}".`);
    if ((await readFile(output)).length !== result.size) throw new Error('The rendered pixel is not whole.');
  } finally {
    await Promise.all([rm(input, { force: true }), rm(output, { force: true })]);
  }
}

class TimeoutError extends Error {
  override name = 'TimeoutError';
}

async function inTime(work: Promise<unknown>): Promise<void> {
  if ((await within(work, TIMEOUT_MS)) === LATE) throw new TimeoutError();
}
