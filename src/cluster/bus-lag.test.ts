import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { BusLag, type BusLagOptions } from './bus-lag.ts';

/** A clock, a session and a pool whose statements are delivered, lost or refused as a test wants it. */
function bench() {
  const sent: string[] = [];
  const released: unknown[] = [];
  const bench = { clock: 1000, epoch: 1, query: async () => undefined as unknown, sent, released };
  const session = new EventEmitter();
  Object.defineProperty(session, 'epoch', { get: () => bench.epoch });
  const pool = {
    connect: async () => ({
      query(_text: string, [, text = '']: string[]) {
        sent.push(text);
        return bench.query();
      },
      release: (isBroken: unknown) => released.push(isBroken),
    }),
  };
  const lag = new BusLag({
    session: session as unknown as BusLagOptions['session'],
    pool: pool as unknown as BusLagOptions['pool'],
    intervalMs: 1_000_000,
    answerMs: 50,
    now: () => bench.clock,
  });
  const hear = (at = -1) => session.emit('notification', sent.at(at));
  return { bench, lag, hear, sent, released };
}

test('is the time from a probe to its arrival', async () => {
  const { bench: world, lag, hear } = bench();
  expect(lag.lagMs).toBe(0);
  await lag.send();
  world.clock += 30;
  hear();
  expect(lag.lagMs).toBe(30);
  world.clock += 5000;
  expect(lag.lagMs).toBe(30);
  lag.close();
});

test('grows while a probe is not heard, and no second one is sent meanwhile', async () => {
  const { bench: world, lag, hear, sent } = bench();
  await lag.send();
  for (const age of [100, 200, 300]) {
    world.clock += 100;
    await lag.send();
    expect(lag.lagMs).toBe(age);
  }
  expect(sent).toHaveLength(1);
  hear();
  expect(lag.lagMs).toBe(300);
  lag.close();
});

test('is that of a new probe when the session was lost with the last one', async () => {
  const { bench: world, lag, hear, sent } = bench();
  await lag.send();
  world.clock += 60_000;
  world.epoch++;
  await lag.send();
  expect(sent).toHaveLength(2);
  expect(lag.lagMs).toBe(60_000);
  world.clock += 2;
  hear(0);
  expect(lag.lagMs).toBe(60_002);
  hear();
  expect(lag.lagMs).toBe(2);
  lag.close();
});

test('grows while PostgreSQL refuses probes or does not answer them', async () => {
  const { bench: world, lag, hear, released } = bench();
  world.query = () => Promise.reject(new Error('gone'));
  await lag.send();
  world.clock += 1000;
  expect(lag.lagMs).toBe(1000);
  world.query = () => new Promise(() => undefined);
  await lag.send();
  expect(released).toEqual([true, true]);
  world.clock += 1000;
  expect(lag.lagMs).toBe(2000);
  world.query = async () => undefined;
  await lag.send();
  hear();
  expect(lag.lagMs).toBe(0);
  expect(released).toEqual([true, true, false]);
  lag.close();
});
