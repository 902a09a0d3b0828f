import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog, FailureLog } from '../log.ts';
import { Consumer, type ConsumerOptions, ConsumerStopped, type Failure } from './consumer.ts';

/** Nothing in these tests may depend on a poll. */
const NEVER_MS = 3_600_000;

let due: string[];
let handled: string[];
let lines: string[];
let consumers: Consumer<string>[];
beforeEach(() => {
  due = [];
  handled = [];
  lines = [];
  consumers = [];
});
afterEach(() => Promise.all(consumers.map((consumer) => consumer.stop(AbortSignal.abort()))));

function start(
  handle: (item: string, signal: AbortSignal) => Promise<Failure | undefined> = async () => undefined,
  options: Partial<ConsumerOptions<string>> = {},
): Consumer<string> {
  const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const consumer = new Consumer<string>({
    claim: async (count) => due.splice(0, count),
    handle(item, signal) {
      handled.push(item);
      return handle(item, signal);
    },
    concurrency: 2,
    pollMs: NEVER_MS,
    outages: new FailureLog(log, { fails: 'down', works: 'up' }),
    ...options,
  });
  consumers.push(consumer);
  consumer.start();
  return consumer;
}

const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 20_000, interval: 2 });

test('handles what is due, no more items at a time than allowed', async () => {
  due = ['a', 'b', 'c', 'd', 'e'];
  let running = 0;
  let most = 0;
  const consumer = start(async () => {
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    return undefined;
  });
  await until(() => handled.length === 5 && consumer.running === 0);
  expect(handled).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(most).toBe(2);
});

test('misses no item that is added during a claim', async () => {
  const consumer = start(undefined, {
    async claim(count) {
      await Promise.resolve();
      const items = due.splice(0, count);
      if (items.length === 0 && handled.length === 0) {
        due.push('late');
        consumer.wake();
      }
      return items;
    },
  });
  await until(() => handled.length === 1);
});

test('finds items of other nodes by polling, and those with a due time when they are due', async () => {
  start(undefined, { pollMs: 5 });
  due.push('polled');
  await until(() => handled.length === 1);
  let dueAt = performance.now() + 20;
  start(undefined, {
    claim: async () => (performance.now() < dueAt ? [] : due.splice(0, 1)),
    nextDueIn: async () => Math.max(0, dueAt - performance.now()),
    handle: async (item) => {
      dueAt = Number.POSITIVE_INFINITY;
      handled.push(item);
      return undefined;
    },
  });
  due.push('timed');
  await until(() => handled.length === 2);
});

test('is woken by an announcement only if it would come too late', async () => {
  let claims = 0;
  const consumer = start(undefined, {
    claim: async () => {
      claims++;
      return [];
    },
    nextDueIn: async () => 600_000,
  });
  await until(() => claims === 1);
  await new Promise(setImmediate);
  consumer.wakeIn(900_000);
  await new Promise(setImmediate);
  expect(claims).toBe(1);
  consumer.wakeIn(1000);
  await until(() => claims === 2);
});

test('pauses after a failure and handles one item at a time until a success', async () => {
  due = ['a', 'b', 'c', 'd'];
  let isDown = true;
  const atOnce: number[] = [];
  const consumer: Consumer<string> = start(
    async () => {
      await new Promise(setImmediate);
      atOnce.push(consumer.running);
      if (handled.length === 3) isDown = false;
      return isDown ? {} : undefined;
    },
    { pause: { firstMs: 1, maxMs: 5 } },
  );
  await until(() => handled.length === 4);
  expect(atOnce[2]).toBe(1);
});

test('pauses for as long as a failure asks', async () => {
  due = ['a', 'b'];
  const consumer = start(async () => ({ retryAfterMs: NEVER_MS }), {
    concurrency: 1,
    pause: { firstMs: 1, maxMs: 1 },
  });
  await until(() => handled.length === 1 && consumer.running === 0);
  consumer.wake();
  await new Promise(setImmediate);
  expect(due).toEqual(['b']);
});

test('goes on after an outage, and logs it once', async () => {
  let outages = 3;
  start(undefined, {
    pollMs: 1,
    async claim(count) {
      if (outages-- > 0) throw new Error('no connection');
      return due.splice(0, count);
    },
  });
  due.push('a');
  await until(() => handled.length === 1);
  expect(lines).toEqual(['down', 'up']);
});

test('an error of the handler ends nothing', async () => {
  due = ['a', 'b', 'c'];
  start(async (item) => {
    if (item === 'a') throw new Error('with a secret');
    return undefined;
  });
  await until(() => handled.length === 3);
});

test('a stop lets items end, aborts them at the deadline, and claims no more', async () => {
  due = ['a', 'b'];
  const reasons: unknown[] = [];
  const ended = Promise.withResolvers<undefined>();
  const consumer = start((item, signal) => {
    if (item === 'a') return ended.promise;
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason);
        resolve(undefined);
      });
    });
  });
  await until(() => handled.length === 2);
  const deadline = new AbortController();
  const stopped = consumer.stop(deadline.signal);
  due.push('c');
  ended.resolve(undefined);
  await until(() => consumer.running === 1);
  expect(reasons).toEqual([]);
  deadline.abort();
  await stopped;
  expect(reasons).toEqual([expect.any(ConsumerStopped)]);
  expect(handled).toEqual(['a', 'b']);
  expect(consumer.isRunning).toBe(false);
});
