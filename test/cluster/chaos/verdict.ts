import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type BucketSettings, createBucket } from '../../../src/storage/s3/bucket.ts';
import { listPages } from '../../../src/storage/s3/list.ts';
import { TEST_KEY } from '../../service.ts';
import { type Promises, sha256 } from './visitors.ts';

export interface VerdictOptions {
  promises: Promises;
  urls: readonly string[];
  databaseUrl: string;
  bucket: BucketSettings;
}

/** Timeout until all jobs are done and all counters correct, in ms. */
const SETTLED_MS = 60_000;
const PAUSE_MS = 500;
const AT_ONCE = 8;

const headers = { authorization: `Bearer ${TEST_KEY}` };

/** @returns one line for each broken promise */
export async function judge(options: VerdictOptions): Promise<string[]> {
  const client = new Client({ connectionString: options.databaseUrl });
  await client.connect();
  try {
    const jobs = await settled(() => jobProblems(client, options));
    const files = await fileProblems(options);
    const originals = await settled(() => originalProblems(client, options));
    const variants = await settled(() => variantProblems(client, options));
    return [...options.promises.problems, ...jobs, ...files, ...originals, ...variants];
  } finally {
    await client.end();
  }
}

/** Returns the problems that remain once there are none, or at the timeout. */
async function settled(find: () => Promise<string[]>): Promise<string[]> {
  const end = performance.now() + SETTLED_MS;
  for (;;) {
    const problems = await find();
    if (problems.length === 0 || performance.now() > end) return problems;
    await pause(PAUSE_MS);
  }
}

/** Checks that every job has completed once, and that every accepted transcode is available. */
async function jobProblems(client: Client, { promises, urls }: VerdictOptions): Promise<string[]> {
  const { rows } = await client.query(`
    select job.path, job.status, job.error,
      (select count(*)::int from job_event where type = 'job:completed' and data::json->>'jobId' = job.id) as ends
    from job where kind = 'transcode'
  `);
  const wrong = rows.filter(({ status, ends }) => status !== 'completed' || ends !== 1);
  const problems = wrong.map((job) => `job ${JSON.stringify(job)}`);
  if (problems.length > 0) return problems;
  return inTurn([...promises.transcodes], async (url, n) => {
    const response = await fetch((urls[n % urls.length] ?? '') + url, { headers });
    await response.arrayBuffer();
    return response.status === 200 ? [] : [`${url} was accepted and is ${response.status}`];
  });
}

/** Checks on every node that stored files have their bytes, and that deleted ones are missing. */
async function fileProblems({ promises, urls }: VerdictOptions): Promise<string[]> {
  const { stored, deleted } = promises;
  return inTurn([...stored.keys(), ...deleted], async (path, n) => {
    const url = urls[n % urls.length] ?? '';
    const response = await fetch(`${url}/t/${path}`, { headers });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (deleted.has(path)) return response.status === 404 ? [] : [`${path} was deleted and is ${response.status}`];
    if (response.status !== 200) return [`${path} was stored and is ${response.status}`];
    return sha256(bytes) === stored.get(path) ? [] : [`${path} has other bytes than were stored`];
  });
}

/** Compares the catalog's totals with a listing of the bucket. */
async function originalProblems(client: Client, { bucket }: VerdictOptions): Promise<string[]> {
  const { rows } = await client.query(`
    select coalesce(sum(size), 0)::float8 as size, coalesce(sum("fileCount"), 0)::float8 as files from folder_usage
  `);
  return differencesFrom(rows[0], bucket, 'originals/');
}

/** Compares the variant counters with a listing after a recalculation: killed nodes lose their last deltas. */
async function variantProblems(client: Client, { urls, bucket }: VerdictOptions): Promise<string[]> {
  const recalculation = await fetch(`${urls[0]}/storage/stats/recalculate`, { method: 'POST', headers });
  await recalculation.arrayBuffer();
  const { rows } = await client.query(
    'select size::float8 as size, "fileCount"::float8 as files from storage_total where id = 2',
  );
  return differencesFrom(rows[0], bucket, 'variants/');
}

async function differencesFrom(
  counted: { size: number; files: number } | undefined,
  settings: BucketSettings,
  folder: string,
): Promise<string[]> {
  const bucket = createBucket(settings);
  const listed = { size: 0, files: 0 };
  for await (const { objects } of listPages(bucket, bucket.prefix + folder)) {
    for (const { key, size } of objects.filter(({ key: name }) => !name.endsWith('/'))) {
      listed.size += key ? size : 0;
      listed.files++;
    }
  }
  bucket.close();
  if (counted?.size === listed.size && counted.files === listed.files) return [];
  return [`${folder} has ${JSON.stringify(listed)}, counted were ${JSON.stringify(counted)}`];
}

async function inTurn<T>(items: readonly T[], judgeOne: (item: T, n: number) => Promise<string[]>): Promise<string[]> {
  const problems: string[] = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [n, item] of rest) problems.push(...(await judgeOne(item, n)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return problems;
}
