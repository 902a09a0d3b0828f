import { afterEach, expect, test, vi } from 'vitest';
import type { Bus } from './cluster.ts';
import { FinishedWork } from './finished-work.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('announcements count as missed for five seconds after a resync', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let resync: () => void = () => undefined;
  const bus: Bus = {
    publish: async () => undefined,
    subscribe: () => () => undefined,
    onResync(listener) {
      resync = listener;
      return () => undefined;
    },
  };
  const finished = new FinishedWork(bus);
  expect(finished.isIncomplete).toBe(false);
  resync();
  expect(finished.isIncomplete).toBe(true);
  vi.advanceTimersByTime(4999);
  expect(finished.isIncomplete).toBe(true);
  vi.advanceTimersByTime(1);
  expect(finished.isIncomplete).toBe(false);
});
