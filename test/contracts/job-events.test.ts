import { expect, test } from 'vitest';
import { createLocalJobEvents } from '../../src/jobs/events/local.ts';
import { jobEvent } from '../../src/jobs/events.ts';
import { allSince, endedJob, jobEventsContract } from './job-events.ts';

jobEventsContract('one machine', async () => {
  const events = createLocalJobEvents();
  return { nodes: [events], remembered: [1000, 1000], close: () => events.close() };
});

test('after a restart ids go on rising, so that whoever comes back gets everything since', async () => {
  const before = createLocalJobEvents({ now: () => 1000 });
  for (let n = 0; n < 900; n++) void before.publish(jobEvent.started(endedJob));
  const after = createLocalJobEvents({ now: () => 1001 });
  void after.publish(jobEvent.completed(endedJob));
  expect(await allSince(after, await before.lastId())).toHaveLength(1);
});

test('after a restart with the clock set back, everything since is there as well', async () => {
  const before = createLocalJobEvents({ now: () => 200_000 });
  void before.publish(jobEvent.started(endedJob));
  const after = createLocalJobEvents({ now: () => 1000 });
  void after.publish(jobEvent.completed(endedJob));
  expect(await allSince(after, await before.lastId())).toHaveLength(1);
});
