import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { LATE, within } from '../../concurrency.ts';
import type { Services } from '../../library-services.ts';
import { parsePath } from '../../path.ts';

export const CHECKS = ['database', 'storage', 'render'] as const;
export type Check = (typeof CHECKS)[number];

const UNKNOWN: Readonly<Record<Check, string>> = { database: 'unknown', storage: 'unknown', render: 'unknown' };

/** Load balancers probe often, and several concurrently. Checks begin at most once in this time. */
const INTERVAL_MS = 1000;
/** Older results are unknown. */
const MAX_AGE_MS = 60_000;
const TIMEOUT_MS = 5000;

export type ReadReadiness = ReturnType<typeof createReadiness>;

const ONE_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Creates the function that immediately returns the service status: serving, or not because it stops or its database is
 * lost. Dependencies are checked in the background while requests arrive, and do not decide: a slow bucket is slow for
 * every node, and a balancer that acted on it would take out all of them.
 * @param isServing false once the service was requested to stop
 * @param now ms of a monotonic clock
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
       * Reason why requests should go elsewhere; undefined when they should not. It follows from the state of the
       * service alone: the database file is checked with the other checks, and whenever a key is changed.
       */
      problem: isServing() ? services.database.file.problem : 'The service is stopping',
      /** `ok`, the failure, or `unknown`. */
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
      // The client is unauthenticated, so the reason goes only to the log.
      services.log.warn({ err: error, check: name }, 'a check failed');
      return [name, error instanceof TimeoutError ? `no answer within ${TIMEOUT_MS} ms` : 'failed'];
    }
  });
  return Object.fromEntries(await Promise.all(results)) as Record<Check, string>;
}

async function checkDatabase({ database }: Services): Promise<void> {
  await database.file.assertDurable();
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
