import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { parsePath } from '../path.ts';
import type { Services } from '../services.ts';

export const CHECKS = ['database', 'storage', 'render'] as const;
export type Check = (typeof CHECKS)[number];

/** What is wrong, by check; empty when the service is ready. */
export type Readiness = Readonly<Partial<Record<Check, string>>>;

/** Balancers ask often, and several at once: an answer holds for so long. */
const FRESH_MS = 1000;
const TIMEOUT_MS = 5000;

const ONE_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Tries what a request needs: the database, the storage, and a render worker with a picture of one pixel. */
export function createReadiness(services: Services, now: () => number = Date.now): () => Promise<Readiness> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<Readiness> = Promise.resolve({});
  return () => {
    if (now() - askedAt >= FRESH_MS) {
      askedAt = now();
      answer = checkAll(services);
    }
    return answer;
  };
}

async function checkAll(services: Services): Promise<Readiness> {
  const checks: Record<Check, () => Promise<unknown>> = {
    database: () => sql`select 1`.execute(services.database.db),
    storage: () => services.originals.store.stat(parsePath('readiness-probe')),
    render: () => renderPixel(services),
  };
  const wrong: Partial<Record<Check, string>> = {};
  const tries = CHECKS.map(async (name) => {
    try {
      await inTime(checks[name]());
    } catch (error) {
      // Whoever asks has shown no key: the reason goes to the log alone.
      services.log.warn({ err: error, check: name }, 'not ready');
      wrong[name] = error instanceof TimeoutError ? `no answer within ${TIMEOUT_MS} ms` : 'failed';
    }
  });
  await Promise.all(tries);
  return wrong;
}

/** Workers that are all at work can render: a probe would only wait behind the visitors. */
async function renderPixel({ pool, temp, config }: Services): Promise<void> {
  const { rendering, workers } = pool.stats();
  if (rendering >= workers) return;
  const [input, output] = [join(temp, `${randomUUID()}.png`), join(temp, randomUUID())];
  try {
    await writeFile(input, ONE_PIXEL);
    const { limits } = config;
    const result = await pool.run('render', { input, output, options: { width: 1 }, format: 'png', limits });
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError()), TIMEOUT_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
