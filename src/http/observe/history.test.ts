import { expect, test } from 'vitest';
import { History, type Reading } from './history.ts';

const idle: Reading = {
  requests: 0,
  hits: 0,
  misses: 0,
  bytesSent: 0,
  renders: 0,
  renderP50Ms: undefined,
  renderP95Ms: undefined,
  queued: 0,
  rss: 1000,
  jobs: 0,
};

function open() {
  const state = { reading: idle, now: Date.UTC(2026, 0, 1) };
  const history = new History({ read: async () => state.reading, now: () => state.now });
  return { state, history };
}

test('a sample has what was added since the one before, and how things are', async () => {
  const { state, history } = open();
  const busy = { ...idle, requests: 5, hits: 3, misses: 1, bytesSent: 900, renders: 1 };
  const first = { ...busy, renderP50Ms: 20, renderP95Ms: 40, queued: 2, jobs: 3 };
  state.reading = first;
  await history.sample();
  state.reading = { ...busy, requests: 7, hits: 4, bytesSent: 1000, rss: 2000, jobs: undefined };
  state.now += 60_000;
  await history.sample();
  history.close();
  // Events before the first reading are in no sample.
  expect(history.last(10)).toEqual([
    { ...first, at: new Date(Date.UTC(2026, 0, 1)) },
    {
      ...idle,
      requests: 2,
      hits: 1,
      bytesSent: 100,
      rss: 2000,
      jobs: undefined,
      at: new Date(Date.UTC(2026, 0, 1, 0, 1)),
    },
  ]);
  expect(history.last(1)).toHaveLength(1);
});

test('it holds a day and no more', async () => {
  const { state, history } = open();
  for (let minute = 0; minute < 1500; minute++) {
    state.now += 60_000;
    await history.sample();
  }
  history.close();
  expect(history.last(5000)).toHaveLength(1440);
  expect(history.last(5000)[0]?.at).toEqual(new Date(Date.UTC(2026, 0, 1, 1, 1)));
});

test('a step whose figures cannot be read is missing, and the next one has what happened in both', async () => {
  const readings = [0, 3, 'broken', 8].map(
    (requests) => () =>
      typeof requests === 'number' ? Promise.resolve({ ...idle, requests }) : Promise.reject(new Error(requests)),
  );
  const history = new History({ read: () => (readings.shift() as () => Promise<Reading>)() });
  for (let step = 0; step < 3; step++) await history.sample();
  history.close();
  expect(history.last(10).map(({ requests }) => requests)).toEqual([3, 5]);
});

test('steps that end at once are told apart', async () => {
  let requests = 0;
  const history = new History({ read: async () => ({ ...idle, requests: requests++ }) });
  await Promise.all([history.sample(), history.sample(), history.sample()]);
  history.close();
  expect(history.last(10).map((sample) => sample.requests)).toEqual([1, 1, 1]);
});
