import { afterEach, expect, test, vi } from 'vitest';
import type { Bus } from './cluster.ts';
import { News } from './news.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('news may have been missed for as long as a look takes, after a node has begun to hear', () => {
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
  const news = new News(bus);
  expect(news.isIncomplete).toBe(false);
  resync();
  expect(news.isIncomplete).toBe(true);
  vi.advanceTimersByTime(4999);
  expect(news.isIncomplete).toBe(true);
  vi.advanceTimersByTime(1);
  expect(news.isIncomplete).toBe(false);
});
