import { hash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { hasCode } from '../../src/errors.ts';
import { ask, fixture } from '../http.ts';
import { childrenOf } from '../processes.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);
const ROUNDS = 4;

let data: string;
let environment: Record<string, string>;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-crash-'));
  environment = { DATA_DIR: data, API_KEY, RENDER_WORKERS: '2', PUBLIC_RATE_LIMIT_MAX: '0' };
  await mkdir(join(data, 'originals', 'fixed'), { recursive: true });
  await writeFile(join(data, 'originals', 'fixed', 'photo.jpg'), fixture('photo-2725x2225.jpg'));
});
afterAll(() => rm(data, { recursive: true, force: true }));

const digest = (bytes: Uint8Array) => hash('sha256', bytes);

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Digests of everything sent, and of everything acknowledged, by path. */
class Journal {
  readonly sent = new Set<string>();
  readonly acknowledged = new Map<string, string>();

  /** Uploads one image after another until the service is killed. */
  async upload(url: string): Promise<void> {
    for (;;) {
      const picture = Buffer.concat([fixture('flag-alpha.png'), randomBytes(200_000)]);
      this.sent.add(digest(picture));
      const form = new FormData();
      form.append('files', new Blob([picture]), 'picture.png');
      form.append('folder', 'uploads');
      const response = await fetch(`${url}/upload`, { method: 'POST', body: form, headers: { 'x-api-key': API_KEY } });
      const { files } = (await response.json()) as { files: { path: string }[] };
      expect(response.status).toBe(200);
      this.acknowledged.set(files[0]?.path ?? '', digest(picture));
    }
  }
}

/** Requests one cold variant after another until the service is killed. */
async function render(url: string, widths: Iterator<number>, onRendered: () => void): Promise<void> {
  for (;;) {
    await ask(url, `/t/w_${widths.next().value},f_webp/fixed/photo.jpg`);
    onRendered();
  }
}

function* countFrom(first: number): Generator<number> {
  for (let n = first; ; n++) yield n;
}

async function checkOriginals(journal: Journal): Promise<void> {
  const originals = join(data, 'originals');
  const present = new Map<string, string>();
  for (const file of await filesBelow(join(originals, 'uploads')))
    present.set(relative(originals, file), digest(await readFile(file)));
  for (const [path, found] of present) expect(journal.sent.has(found), `${path} is whole`).toBe(true);
  for (const [path, sent] of journal.acknowledged) expect(present.get(path), `${path} is as it was sent`).toBe(sent);
}

async function checkVariants(): Promise<number> {
  const variants = await filesBelow(join(data, 'variants'));
  for (const file of variants) await sharp(file, { failOn: 'warning' }).stats();
  return variants.length;
}

test(`killed ${ROUNDS} times during uploads and renders: no half file, no acknowledged upload lost, temporary files cleaned`, async () => {
  const journal = new Journal();
  const widths = countFrom(100);
  for (let round = 1; round <= ROUNDS; round++) {
    const service = await startServiceProcess(environment);
    const [own, ...others] = await readdir(join(data, 'tmp'));
    expect([others, await readdir(join(data, 'tmp', own ?? ''))]).toEqual([[], []]);
    const uploadedBefore = journal.acknowledged.size;
    let rendered = 0;
    const work = [1, 2, 3].map(() => journal.upload(service.url));
    for (const _client of [1, 2]) work.push(render(service.url, widths, () => rendered++));
    const gone = Promise.allSettled(work);
    const hasBegun = () => rendered >= round && journal.acknowledged.size >= uploadedBefore + 2 + round;
    await vi.waitUntil(hasBegun, { timeout: 30_000, interval: 1 });
    await service.end('SIGKILL');
    expect((await gone).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    await checkOriginals(journal);
    expect(await checkVariants()).toBeGreaterThan(0);
  }
  const service = await startServiceProcess(environment);
  for (const [path, sent] of journal.acknowledged)
    expect(digest((await ask(service.url, `/t/${encodeURI(path)}`)).body), path).toBe(sent);
  await service.end('SIGTERM');
});

/** Kills a process; false if it has just ended. */
function endAtOnce(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false;
    throw error;
  }
}

/** Kills every render worker repeatedly until stopped; returns the number killed. */
async function killWorkers({ pid }: ServiceProcess, isOver: () => boolean): Promise<number> {
  let killed = 0;
  await vi.waitUntil(
    async () => {
      for (const worker of await childrenOf(pid)) if (endAtOnce(worker)) killed++;
      return isOver();
    },
    { timeout: 30_000, interval: 700 },
  );
  return killed;
}

test('every render worker is killed while requests run: each is answered with the right picture or with 503', async () => {
  const service = await startServiceProcess(environment);
  await ask(service.url, '/t/w_5/fixed/photo.jpg');
  let answered = 0;
  const widths = Array.from({ length: 16 }, (_, n) => 500 + 20 * n);
  const answering = Promise.all(
    widths.map(async (width) => {
      const answer = await ask(service.url, `/t/w_${width},f_avif/fixed/photo.jpg`);
      answered++;
      return answer;
    }),
  );
  const killed = await killWorkers(service, () => answered === widths.length);
  expect(killed).toBeGreaterThan(2);
  for (const [index, answer] of (await answering).entries()) {
    expect([200, 503]).toContain(answer.status);
    if (answer.status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    else expect((await sharp(answer.body).metadata()).width).toBe(widths[index]);
  }
  expect((await ask(service.url, '/t/w_31,f_webp/fixed/photo.jpg')).status).toBe(200);
  await service.end('SIGTERM');
});
