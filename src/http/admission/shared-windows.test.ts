import type { IncomingMessage } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '../../log.ts';
import { createRateLimiter, type RateLimiter } from './rate-limit.ts';
import { type RequestWindows, SharedWindows } from './shared-windows.ts';

const LIMIT = 100;
const NODES = 4;
const WINDOW_MS = 60_000;
const request = { method: 'GET', url: '/t/a.jpg' } as IncomingMessage;

const lines: string[] = [];
const log = createLog({ level: 'warn', format: 'json' }, { write: (line) => void lines.push(line) });
const open: SharedWindows<never>[] = [];

afterEach(() => {
  for (const one of open.splice(0)) one.close();
  lines.length = 0;
});

/** Creates an in-memory store where nodes add up their counts. */
function createMeetingPlace() {
  const used = new Map<string, number>();
  const add = vi.fn<RequestWindows['add']>(async (counted) =>
    counted.map(({ client, count }) => {
      used.set(client, (used.get(client) ?? 0) + count);
      return { client, count: used.get(client) ?? 0, leftMs: WINDOW_MS };
    }),
  );
  return { add, tidy: vi.fn(async () => undefined) };
}

/** Creates a node that adds up on demand only, never by its timer. */
function createNode(windows: RequestWindows): RateLimiter {
  const shared = new SharedWindows<never>({ windows, intervalMs: 1e6, log });
  open.push(shared);
  return createRateLimiter({
    max: LIMIT,
    windowMs: WINDOW_MS,
    readAddress: () => '203.0.113.7',
    shared,
  });
}

/** @returns true if the request is within the limit */
async function ask(node: RateLimiter): Promise<boolean> {
  const quota = await node.count(request);
  return quota?.isOver === false;
}

const count = (answers: boolean[]) => answers.filter(Boolean).length;

test('a crowd on four nodes at once exceeds the limit by a fifth for each node at most', async () => {
  const place = createMeetingPlace();
  const nodes = Array.from({ length: NODES }, () => createNode(place));
  const answers = await Promise.all(nodes.flatMap((node) => Array.from({ length: 300 }, () => ask(node))));
  expect(count(answers)).toBeGreaterThanOrEqual(LIMIT);
  expect(count(answers)).toBeLessThanOrEqual(LIMIT + NODES * 0.2 * LIMIT);
});

test('one node alone lets through exactly what the limit says', async () => {
  const node = createNode(createMeetingPlace());
  expect(count(await Promise.all(Array.from({ length: 300 }, () => ask(node))))).toBe(LIMIT);
});

test('a request waits for nothing while its client has used less than a fifth of the limit', async () => {
  const place = createMeetingPlace();
  const node = createNode(place);
  for (let n = 0; n < 20; n++) {
    expect(node.count(request)).not.toBeInstanceOf(Promise);
  }
  expect(node.tryCount(request)).toBeUndefined();
  expect(node.count(request)).toBeInstanceOf(Promise);
  expect(place.add).toHaveBeenCalledOnce();
});

test('what a client has used elsewhere counts here, and its answers say so', async () => {
  const place = createMeetingPlace();
  const here = createNode(place);
  const there = createNode(place);
  for (let n = 0; n < 60; n++) await ask(there);
  for (let n = 0; n < 20; n++) await ask(here);
  const remaining = (await here.count(request))?.headers[3];
  // The last 20 of those 60 have not been added up yet.
  expect(remaining).toBe(String(LIMIT - 40 - 21));
});

test('refused signatures on four nodes exceed the limit by a fifth for each node at most', async () => {
  const place = createMeetingPlace();
  const nodes = Array.from({ length: NODES }, () => createNode(place));
  const isCounted = async (node: RateLimiter) => {
    try {
      await node.countRefusal(request);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited' });
      return false;
    }
  };
  const answers = await Promise.all(nodes.flatMap((node) => Array.from({ length: 300 }, () => isCounted(node))));
  expect(count(answers)).toBeGreaterThanOrEqual(LIMIT);
  expect(count(answers)).toBeLessThanOrEqual(LIMIT + NODES * 0.2 * LIMIT);
});

test('nodes that cannot add up count on their own, say so once, and add up again later', async () => {
  const place = createMeetingPlace();
  const node = createNode(place);
  place.add.mockRejectedValue(new Error('no connection'));
  expect(count(await Promise.all(Array.from({ length: 300 }, () => ask(node))))).toBe(LIMIT);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, msg: expect.stringContaining('on its own') });
});
