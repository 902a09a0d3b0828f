import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLocalCluster } from '../cluster/local.ts';
import type { Message } from '../cluster/messages.ts';
import { openDatabase } from '../db/open.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createLog } from '../log.ts';
import { DeliveryFailure } from '../outbox/failure.ts';
import { Outbox, type Message as Purge } from '../outbox/outbox.ts';
import { MAX_PURGE_DELAY_MS, PurgeSender, type PurgeSenderOptions } from './purge-sender.ts';

const NEVER = new AbortController().signal;

let folder: string;
let database: OpenDatabase;
let outbox: Outbox;
const senders: PurgeSender[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sender-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  outbox = new Outbox(database.db, { maxWaitMs: MAX_PURGE_DELAY_MS });
});
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.stop(AbortSignal.timeout(5000))));
  await database.close();
  await rm(folder, { recursive: true });
});

interface Bench {
  sender: PurgeSender;
  /** Tags of each request. */
  sent: string[][];
  /** Waits until that many requests were sent. */
  count(requests: number): Promise<string[][]>;
  lines(): Record<string, unknown>[];
}

/** Creates a sender whose requests get the response of `answer`, called with their number from 1. */
function create(
  answer: (request: number, signal: AbortSignal) => Promise<void> = async () => undefined,
  options: Partial<PurgeSenderOptions> = {},
): Bench {
  const sent: string[][] = [];
  const text: string[] = [];
  const sender = new PurgeSender({
    outbox,
    bus: createLocalCluster().bus,
    pollMs: 60_000,
    batchSize: 3,
    maxWaiting: 100,
    delayMs: 20,
    retryMax: 2,
    retryDelayMs: 1,
    log: createLog({ level: 'info', format: 'json' }, { write: (line) => void text.push(line) }),
    send(entries: readonly Purge[], signal: AbortSignal) {
      sent.push(entries.map(({ payload }) => payload));
      return answer(sent.length, signal);
    },
    ...options,
  });
  senders.push(sender);
  return {
    sender,
    sent,
    async count(requests) {
      await vi.waitUntil(() => sent.length >= requests, { timeout: 10_000, interval: 5 });
      return sent;
    },
    lines: () => text.map((line) => JSON.parse(line)),
  };
}

const isEmpty = () =>
  vi.waitUntil(async () => (await outbox.stats('cdn')).waiting === 0, { timeout: 10_000, interval: 5 });

test('what is added at about the same time goes in one request, as far as there is room in it', async () => {
  // Allows for a busy host that is slow with all four.
  const { sender, count } = create(undefined, { delayMs: 1000 });
  sender.start();
  await Promise.all(['a', 'b', 'c', 'd'].map((payload) => sender.add([payload])));
  const requests = await count(2);
  expect(requests.map((request) => request.length)).toEqual([3, 1]);
  expect(requests.flat().sort()).toEqual(['a', 'b', 'c', 'd']);
  await isEmpty();
});

test('what is added while nothing is under way is sent without waiting for a poll, again and again', async () => {
  const { sender, count } = create();
  sender.start();
  for (let n = 1; n <= 5; n++) {
    await sender.add([`p${n}`]);
    expect((await count(n)).at(-1)).toEqual([`p${n}`]);
    await isEmpty();
  }
});

test('what another process has added is sent when the bus tells of it', async () => {
  const listeners = new Set<(message: Message) => void>();
  const bus = {
    ...createLocalCluster().bus,
    subscribe(listener: (message: Message) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const { sender, sent, count } = create(undefined, { bus });
  sender.start();
  await vi.waitUntil(() => listeners.size > 0);
  await sender.add(['own']);
  await count(1);
  await isEmpty();
  await outbox.add([{ target: 'cdn', payload: 'other' }]);
  for (const listener of listeners) listener({ kind: 'outbox', target: 'another one' });
  for (const listener of listeners) listener({ kind: 'outbox', target: 'cdn' });
  await count(2);
  expect(sent).toEqual([['own'], ['other']]);
});

test('the others are told of what is added', async () => {
  const published: Message[] = [];
  const bus = { ...createLocalCluster().bus, publish: async (message: Message) => void published.push(message) };
  const { sender } = create(undefined, { bus });
  await sender.add(['a']);
  await sender.replace('all');
  expect(published).toEqual([
    { kind: 'outbox', target: 'cdn' },
    { kind: 'outbox', target: 'cdn' },
  ]);
});

test('what fails is sent again until it is received, and the log says when it is', async () => {
  const { sender, sent, lines } = create(async (request) => {
    if (request <= 2) throw new DeliveryFailure(`status 50${request}`);
  });
  sender.start();
  await sender.add(['a']);
  await isEmpty();
  expect(sent).toEqual([['a'], ['a'], ['a']]);
  expect(sender.attempts).toEqual({ received: 1, failed: 2 });
  expect(lines().map(({ level, reason, msg }) => [level, reason, msg])).toEqual([
    [40, 'status 501', 'messages were not delivered'],
    [40, 'status 502', 'messages were not delivered'],
    [30, undefined, 'messages are delivered again'],
  ]);
});

test('what fails too often is given up for everybody to see, and the next start tries it again', async () => {
  const fails = async () => {
    throw new DeliveryFailure('status 500');
  };
  const { sender, sent, lines } = create(fails);
  sender.start();
  await sender.add(['a']);
  await isEmpty();
  expect(sent).toHaveLength(3);
  expect(await outbox.stats('cdn')).toMatchObject({ waiting: 0, failed: 1, lastError: 'status 500' });
  await sender.stop(NEVER);
  expect(lines().at(-1)).toMatchObject({ level: 50, target: 'cdn', entries: 1, attempts: 3, reason: 'status 500' });
  // Even when the database is not available yet.
  vi.spyOn(outbox, 'revive').mockRejectedValueOnce(new Error('no connection'));
  const next = create(undefined, { pollMs: 5 });
  next.sender.start();
  expect(await next.count(1)).toEqual([['a']]);
  await vi.waitUntil(async () => (await outbox.stats('cdn')).failed === 0, { interval: 5 });
});

test('while the outbox is unavailable, the log says so once, and once when it can be again', async () => {
  const down = new Error('no connection');
  vi.spyOn(outbox, 'claim').mockRejectedValueOnce(down).mockRejectedValueOnce(down);
  const { sender, count, lines } = create(undefined, { pollMs: 5 });
  sender.start();
  await sender.add(['a']);
  await count(1);
  expect(lines().map(({ level, target, msg }) => [level, target, msg])).toEqual([
    [50, 'cdn', 'the outbox is unavailable'],
    [30, 'cdn', 'the outbox is available again'],
  ]);
});

test('while a target fails, it is left alone whatever is added, for as long as it asks to be', async () => {
  const { sender, sent, count } = create(async () => {
    throw new DeliveryFailure('status 429', 3_600_000);
  });
  sender.start();
  await sender.add(['a']);
  await count(1);
  await vi.waitUntil(async () => (await outbox.stats('cdn')).lastError !== undefined, { interval: 5 });
  const due = (await outbox.nextDueIn('cdn')) ?? 0;
  expect(due).toBeGreaterThan(3_500_000);
  await sender.add(['b']);
  await vi.waitUntil(async () => (await outbox.nextDueIn('cdn')) === 0, { interval: 5 });
  await sender.stop(NEVER);
  expect(sent).toEqual([['a']]);
});

test('an error of our own is not told as one of the target, and ends nothing', async () => {
  const { sender, count } = create(async (request) => {
    if (request === 1) throw new Error('with a secret');
  });
  sender.start();
  await sender.add(['a']);
  expect(await count(2)).toEqual([['a'], ['a']]);
  await isEmpty();
});

test('a stop lets the request under way end, and leaves the rest to the next start', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { sender, sent, count } = create(() => promise, { batchSize: 1 });
  sender.start();
  await sender.add(['a', 'b']);
  await count(1);
  const stopped = sender.stop(NEVER);
  resolve();
  await stopped;
  expect(sent).toEqual([['a']]);
  expect(await outbox.stats('cdn')).toMatchObject({ waiting: 1 });
  const next = create();
  next.sender.start();
  expect(await next.count(1)).toEqual([['b']]);
  await isEmpty();
});

test('at the deadline the request under way is broken off, and does not count', async () => {
  const { sender, count } = create(
    (_request, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  sender.start();
  await sender.add(['a']);
  await count(1);
  const deadline = new AbortController();
  const stopped = sender.stop(deadline.signal);
  deadline.abort();
  await stopped;
  const [purge] = await outbox.claim('cdn', { max: 1, leaseMs: 1000 });
  expect(purge?.tries).toBe(1);
});

test('without its database nothing is sent, and sending goes on when it is back', async () => {
  const claim = vi.spyOn(outbox, 'claim').mockRejectedValueOnce(new Error('the database is locked'));
  const { sender, count } = create(undefined, { pollMs: 5 });
  sender.start();
  await sender.add(['a']);
  expect(await count(1)).toEqual([['a']]);
  expect(claim.mock.calls.length).toBeGreaterThan(1);
  await isEmpty();
});
