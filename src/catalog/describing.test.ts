import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../test/job-queue.ts';
import { createMemoryStore } from '../../test/memory-store.ts';
import { parsePath, type StoragePath } from '../path.ts';
import { NO_FACTS } from '../render/facts.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { Describing, type DescribingOptions } from './describing.ts';
import type { Description } from './records.ts';

const PHOTO = parsePath('photo.jpg');
const OTHER = parsePath('other.jpg');

let temp: string;
let store: BlobStore;
let running: Describing[];
/** Files without a description, in the order of their claims. */
let due: { id: number; path: StoragePath; etag: string; failures: number }[];
let stored: { id: number; etag: string; description: Description }[];
let failed: { id: number; retryInMs: number }[];

beforeEach(async () => {
  temp = await mkdtemp(join(tmpdir(), 'darkroom-describing-'));
  store = createMemoryStore({ temp });
  running = [];
  due = [];
  stored = [];
  failed = [];
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await rm(temp, { recursive: true });
});

async function put(id: number, path: StoragePath, failures = 0): Promise<void> {
  const { etag } = await store.write(path, Readable.from([`bytes of ${id}`]));
  due.push({ id, path, etag, failures });
}

type Describe = DescribingOptions['describer']['describe'];

function start(describe: Describe, more: Partial<DescribingOptions> = {}): Describing {
  const descriptions: DescribingOptions['descriptions'] = {
    claim: async (limit) => due.splice(0, limit).map((file) => ({ ...file, size: 1, kind: 'image' })),
    store: async (id, etag, description) => stored.push({ id, etag, description }) > 0,
    fail: async (id, _etag, retryInMs) => void failed.push({ id, retryInMs }),
    waiting: async () => ({ count: due.length, nextDueAt: null }),
    redescribe: async () => undefined,
  };
  const describer = { describe, close: async () => undefined };
  // One hour: no test may depend on polling.
  const describing = new Describing({
    descriptions,
    describer,
    store,
    log: silentLog,
    concurrency: 1,
    pollMs: 3_600_000,
    ...more,
  });
  running.push(describing);
  describing.start();
  return describing;
}

const until = (isSo: () => boolean) => vi.waitUntil(isSo, { timeout: 20_000, interval: 5 });
const facts = { ...NO_FACTS, sha256: 'ab', width: 30, takenAtMs: 5, thumbHash: 'hash', bitrate: 1000.6 };
const described: Describe = async () => ({ facts, problem: null });

test('what waits is described, and what is known of it is stored', async () => {
  await put(1, PHOTO);
  const describing = start(described);
  await until(() => stored.length === 1);
  const description = { width: 30, takenAt: 5, placeholder: 'hash', bitrate: 1001, sha256: 'ab', palette: [] };
  expect(stored).toMatchObject([{ id: 1, description }]);
  expect(describing.counts).toEqual({ described: 1, failed: 0 });
});

test('what comes later is described when it is told of', async () => {
  const describing = start(described);
  await put(1, PHOTO);
  await put(2, OTHER);
  describing.wake();
  await until(() => stored.length === 2);
});

test('what nobody has told of is found by looking now and then', async () => {
  start(described, { pollMs: 10 });
  await put(1, PHOTO);
  await until(() => stored.length === 1);
});

test('a file that changes while it is described is not stored as described', async () => {
  await put(1, PHOTO);
  start(async () => {
    await store.write(PHOTO, Readable.from(['others']));
    return { facts, problem: null };
  });
  await until(() => failed.length === 1);
  expect(stored).toEqual([]);
});

test('a file that is gone is tried again later', async () => {
  await put(1, PHOTO);
  await store.remove(PHOTO);
  start(described);
  await until(() => failed.length === 1);
  expect(failed).toEqual([{ id: 1, retryInMs: 60_000 }]);
});

test('the wait after a failure doubles with each, to a day at most', async () => {
  await put(1, PHOTO, 3);
  const fails: Describe = async () => {
    throw new Error('no place');
  };
  const describing = start(fails);
  await until(() => failed.length === 1);
  await put(2, OTHER, 60);
  await until(() => failed.length === 2);
  expect(failed).toEqual([
    { id: 1, retryInMs: 480_000 },
    { id: 2, retryInMs: 86_400_000 },
  ]);
  expect(describing.counts).toEqual({ described: 0, failed: 2 });
});

test('when it stops, what is under way is given back at once', async () => {
  await put(1, PHOTO);
  const begun = Promise.withResolvers<void>();
  const describing = start(({ signal }) => {
    begun.resolve();
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  });
  await begun.promise;
  await describing.stop();
  expect(failed).toEqual([{ id: 1, retryInMs: 0 }]);
  expect(describing.counts).toEqual({ described: 0, failed: 0 });
});

test('no more files are under way than asked for', async () => {
  for (const id of [1, 2, 3, 4, 5]) await put(id, parsePath(`${id}.jpg`));
  const begun: PromiseWithResolvers<void>[] = [];
  const waits: Describe = async () => {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    await one.promise;
    return { facts, problem: null };
  };
  start(waits, { concurrency: 2 });
  await until(() => begun.length === 2);
  expect(due).toHaveLength(3);
  begun[0]?.resolve();
  await until(() => begun.length === 3);
  expect(due).toHaveLength(2);
  for (let at = 1; at < 5; at++) {
    await until(() => begun.length > at);
    begun[at]?.resolve();
  }
  await until(() => stored.length === 5);
});
