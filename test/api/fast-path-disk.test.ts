import { execFile } from 'node:child_process';
import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Answer, ask, fixture } from '../http.ts';
import type { TestService } from '../service.ts';
import { figures, lastTry, startFastPath } from './fast-path-client.ts';

const SMALL = '/t/w_30,f_png/concert.jpg';
const OTHER = '/t/w_31,f_png/concert.jpg';

let service: TestService;
const get = (path: string) => ask(service.url, path);
const wasRead = () => lastTry() === 'watched';

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startFastPath({ CACHE_MEMORY_MB: '0', ...environment });
  expect((await service.upload({ 'concert.jpg': fixture('concert.jpg') })).status).toBe(200);
}

beforeEach(() => start());
afterEach(() => service.close());

/** Requests until the next equal request takes the fast path. */
async function warm(path: string): Promise<Answer> {
  await get(path);
  return get(path);
}

/** Returns the only cached file. */
async function cachedFile(): Promise<string> {
  const entries = await readdir(join(service.data, 'variants'), { recursive: true, withFileTypes: true });
  const [file] = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return file ?? '';
}

const remaining = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);

test('is counted like one of the normal path', async () => {
  await warm(SMALL);
  const differences: Record<string, number>[] = [];
  // The second one takes the normal path.
  for (const headers of [{}, { Connection: 'close' }]) {
    const before = await figures(service);
    expect((await ask(service.url, SMALL, { headers })).status).toBe(200);
    expect(wasRead()).toBe(!('Connection' in headers));
    const after = await figures(service);
    differences.push(
      Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)])),
    );
  }
  expect(differences[0]).toEqual(differences[1]);
  expect(Object.values(differences[0] ?? {}).filter((difference) => difference === 1)).toHaveLength(2);
});

test('of a file that was deleted is rendered again, and counts once', async () => {
  const hit = await warm(SMALL);
  await get(SMALL);
  await service.services.variants.clear();
  const again = await get(SMALL);
  expect(wasRead()).toBe(true);
  expect([again.status, again.headers['x-cache'], again.body.equals(hit.body)]).toEqual([200, 'miss', true]);
  expect(remaining(again)).toBe(remaining(hit) - 2);
  expect([remaining(await get(SMALL)), remaining(await get(SMALL))]).toEqual([remaining(hit) - 3, remaining(hit) - 4]);
});

test.each([
  ['longer', (bytes: Buffer) => Buffer.concat([bytes, bytes])],
  ['shorter', (bytes: Buffer) => bytes.subarray(1)],
])('of a file that has become %s is not mixed with the old length', async (_, change) => {
  const hit = await warm(SMALL);
  await get(SMALL);
  await writeFile(await cachedFile(), change(hit.body));
  const changed = await get(SMALL);
  expect(changed.body.equals(change(hit.body))).toBe(true);
  expect(changed.headers['content-length']).toBe(String(changed.body.length));
});

test('over its limit is refused without a read', async () => {
  await service.close();
  await start({ PUBLIC_RATE_LIMIT_MAX: '5' });
  let answer = await warm(SMALL);
  while (remaining(answer) > 0) {
    answer = await get(SMALL);
    expect([answer.status, wasRead()]).toEqual([200, true]);
  }
  expect([(await get(SMALL)).status, wasRead()]).toEqual([429, false]);
});

test('records its use on the disk', async () => {
  await warm(SMALL);
  const file = await cachedFile();
  // Requested again: the time has whole seconds.
  await vi.waitUntil(async () => (await stat(file)).mtimeMs % 1000 === 0);
});

test('that a slow disk holds back holds no other hit', async () => {
  await warm(OTHER);
  await service.services.variants.clear();
  await warm(SMALL);
  const file = await cachedFile();
  const moved = `${file}.moved`;
  await rename(file, moved);
  // Opening a pipe takes until it has a writer.
  await promisify(execFile)('mkfifo', [file]);
  let isAnswered = false;
  const held = get(SMALL).finally(() => {
    isAnswered = true;
  });
  await warm(OTHER);
  for (let n = 0; n < 100; n++) expect((await get(OTHER)).headers['x-cache']).toBe('hit');
  expect(isAnswered).toBe(false);
  const pipe = `${file}.pipe`;
  await rename(file, pipe);
  await rename(moved, file);
  await (await open(pipe, 'w')).close();
  await rm(pipe);
  const answer = await held;
  expect([answer.status, answer.headers['x-cache']]).toEqual([200, 'hit']);
});
