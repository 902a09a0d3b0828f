import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { linkBuses } from '../../test/linked-buses.ts';
import { createLog } from '../log.ts';
import { Changes, type NodeCaches } from './changes.ts';
import type { Bus } from './cluster.ts';

const load = vi.fn<() => Promise<void>>();
const catchUp = vi.fn<() => Promise<void>>();

let changes: Changes;
let other: Bus;
beforeEach(async () => {
  vi.useFakeTimers();
  load.mockReset();
  catchUp.mockReset();
  const buses = linkBuses(2);
  other = buses[1] as Bus;
  changes = new Changes(buses[0] as Bus, createLog({ level: 'silent', format: 'json' }));
  const caches = { originals: { markStale: () => undefined }, spaces: { load }, invalidations: { catchUp } };
  await changes.follow(caches as unknown as NodeCaches);
  catchUp.mockClear();
});
afterEach(() => {
  changes.close();
  vi.useRealTimers();
});

const READS = [
  { kind: 'spaces', read: load, of: 'spaces' },
  { kind: 'cleared', read: catchUp, of: 'invalidations' },
] as const;

test.each(READS)('$of that cannot be read are read again until they can', async ({ kind, read }) => {
  read.mockRejectedValueOnce(new Error('down')).mockRejectedValueOnce(new Error('down'));
  await other.publish({ kind });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(read).toHaveBeenCalledTimes(3);
});

test.each(READS)('$of are read at once by another change, and not again after it', async ({ kind, read }) => {
  read.mockRejectedValueOnce(new Error('down'));
  await other.publish({ kind });
  await vi.advanceTimersByTimeAsync(0);
  await other.publish({ kind });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(read).toHaveBeenCalledTimes(2);
});

test.each(READS)('$of are not read again after the close, also when a reading fails then', async ({ kind, read }) => {
  const timers = vi.getTimerCount();
  const reading = Promise.withResolvers<void>();
  read.mockReturnValueOnce(reading.promise);
  await other.publish({ kind });
  changes.close();
  reading.reject(new Error('closed'));
  await vi.advanceTimersByTimeAsync(10_000);
  await other.publish({ kind });
  expect(read).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(timers);
});
