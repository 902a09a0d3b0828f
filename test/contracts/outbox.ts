import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Attempt, ClaimedMessage, Outbox } from '../../src/outbox/outbox.ts';

export interface OutboxBench {
  outbox: Outbox;
  /** The same rows, through another connection. */
  other: Outbox;
  /** Milliseconds since 1970. */
  clock: { now: number };
  close(): Promise<void>;
}

const CLAIM = { max: 10, leaseMs: 30_000, aheadMs: 0 };
const RETRY = { retryInMs: 1000 };

const payloads = (batch: readonly ClaimedMessage[]) => batch.map(({ payload }) => payload);

const add = (outbox: Outbox, target: string, texts: readonly string[], delayMs = 0) =>
  outbox.add(
    texts.map((payload) => ({ target, payload })),
    delayMs,
  );

const attempt = (error: string): Attempt => ({
  at: '2026-01-01T00:00:00.000Z',
  responseStatus: null,
  durationMs: 1,
  error,
});

async function claimed(outbox: Outbox, target = 'cdn', options: Partial<typeof CLAIM> = {}): Promise<ClaimedMessage[]> {
  const batch = await outbox.claim(target, { ...CLAIM, ...options });
  if (batch.length === 0) throw new Error('Nothing is due.');
  return batch;
}

/** Tests of every outbox. `create` returns an empty one with the given clock. */
export function outboxContract(name: string, create: (clock: { now: number }) => Promise<OutboxBench>): void {
  describe(`${name} as an outbox`, () => {
    let current: OutboxBench;
    const bench = () => current;
    beforeEach(async () => {
      current = await create({ now: Date.UTC(2026, 0, 1) });
    });
    afterEach(() => current.close());

    describe('entries', () => claiming(bench));
    describe('attempts', () => failing(bench));
    describe('what was given up', () => givingUp(bench));
    describe('bounds', () => bounds(bench));
  });
}

function claiming(bench: () => OutboxBench): void {
  test('are claimed together, the oldest first, with what their target needs to recognise them', async () => {
    const { outbox, other, clock } = bench();
    await add(outbox, 'cdn', ['a', 'b']);
    await add(other, 'cdn', ['c']);
    const batch = await claimed(outbox);
    expect(payloads(batch)).toEqual(['a', 'b', 'c']);
    expect(batch[0]).toMatchObject({ target: 'cdn', tries: 1, attempts: [], createdAt: new Date(clock.now) });
    expect(new Set(batch.map(({ id }) => id)).size).toBe(3);
  });

  test('belong to one target, and others do not see them', async () => {
    const { outbox } = bench();
    await add(outbox, 'hook 1', ['a']);
    await add(outbox, 'hook 2', ['b']);
    expect(payloads(await outbox.claim('hook 2', CLAIM))).toEqual(['b']);
    expect(await outbox.claim('hook 3', CLAIM)).toEqual([]);
    expect(await outbox.stats('hook 1')).toMatchObject({ waiting: 1 });
  });

  test('come in batches of a limited size', async () => {
    const { outbox } = bench();
    await add(outbox, 'cdn', ['a', 'b', 'c']);
    expect(payloads(await claimed(outbox, 'cdn', { max: 2 }))).toEqual(['a', 'b']);
    expect(payloads(await claimed(outbox, 'cdn', { max: 2 }))).toEqual(['c']);
    expect(await outbox.claim('cdn', CLAIM)).toEqual([]);
  });

  test('wait for their time, and go with the first that is due when theirs is near', async () => {
    const { outbox, clock } = bench();
    await add(outbox, 'cdn', ['a'], 1000);
    clock.now += 300;
    await add(outbox, 'cdn', ['b'], 1000);
    clock.now += 300;
    await add(outbox, 'cdn', ['c'], 1000);
    const near = { ...CLAIM, aheadMs: 500 };
    expect(await outbox.claim('cdn', near)).toEqual([]);
    expect(await outbox.nextDueIn('cdn')).toBe(400);
    clock.now += 400;
    expect(payloads(await outbox.claim('cdn', near))).toEqual(['a', 'b']);
    clock.now += 600;
    expect(payloads(await outbox.claim('cdn', near))).toEqual(['c']);
    expect(await outbox.nextDueIn('other')).toBeUndefined();
  });

  test('are forgotten when they are delivered, and those of other batches are not', async () => {
    const { outbox } = bench();
    await add(outbox, 'cdn', ['a', 'b']);
    const one = await claimed(outbox, 'cdn', { max: 1 });
    const two = await claimed(outbox, 'cdn', { max: 1 });
    await outbox.remove(one);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 1 });
    await outbox.remove(two);
    expect(await outbox.stats('cdn')).toEqual({ waiting: 0, failed: 0, oldestAt: undefined, lastError: undefined });
  });

  test('that are added while others are sent are sent as well', async () => {
    const { outbox } = bench();
    await add(outbox, 'cdn', ['a']);
    const first = await claimed(outbox);
    await add(outbox, 'cdn', ['a']);
    await outbox.remove(first);
    expect(payloads(await outbox.claim('cdn', CLAIM))).toEqual(['a']);
  });
}

function failing(bench: () => OutboxBench): void {
  test('that take longer than their lease are taken over, and what becomes of the first says nothing any more', async () => {
    const { outbox, other, clock } = bench();
    await add(outbox, 'cdn', ['a']);
    const late = await claimed(outbox);
    clock.now += CLAIM.leaseMs - 1;
    expect(await other.claim('cdn', CLAIM)).toEqual([]);
    expect(await other.nextDueIn('cdn')).toBe(1);
    clock.now += 2;
    const taken = await claimed(other);
    expect(taken[0]?.tries).toBe(2);
    await outbox.remove(late);
    expect(await outbox.end(late, [attempt('late')], 'failed')).toBe(0);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 1, failed: 0, lastError: undefined });
    await other.remove(taken);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 0 });
  });

  test('are made again after a while, and given up after the last one', async () => {
    const { outbox, clock } = bench();
    await add(outbox, 'cdn', ['a']);
    const oldestAt = new Date(clock.now);
    for (const tries of [1, 2]) {
      const batch = await claimed(outbox);
      expect(batch[0]?.tries).toBe(tries);
      expect(await outbox.end(batch, [attempt(`status 50${tries}`)], RETRY)).toBe(1);
      expect(await outbox.claim('cdn', CLAIM)).toEqual([]);
      clock.now += RETRY.retryInMs;
    }
    expect(await outbox.stats('cdn')).toEqual({ waiting: 1, failed: 0, oldestAt, lastError: 'status 502' });
    expect(await outbox.end(await claimed(outbox), [attempt('status 503')], 'failed')).toBe(1);
    clock.now += 1e6;
    expect(await outbox.claim('cdn', CLAIM)).toEqual([]);
    expect(await outbox.stats('cdn')).toEqual({ waiting: 0, failed: 1, oldestAt: undefined, lastError: 'status 503' });
  });

  test('do not count when they are broken off', async () => {
    const { outbox } = bench();
    await add(outbox, 'cdn', ['a']);
    for (let time = 0; time < 5; time++) await outbox.release(await claimed(outbox));
    expect((await claimed(outbox))[0]?.tries).toBe(1);
  });

  test('are made in spite of a clock that is set back', async () => {
    const { outbox, clock } = bench();
    await add(outbox, 'cdn', ['a']);
    const held = await claimed(outbox);
    await add(outbox, 'cdn', ['b']);
    clock.now -= 86_400_000;
    expect(payloads(await outbox.claim('cdn', CLAIM))).toEqual(['a', 'b']);
    await outbox.remove(held);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 2 });
  });
}

function givingUp(bench: () => OutboxBench): void {
  async function giveUp(outbox: Outbox, payload: string): Promise<void> {
    await add(outbox, 'cdn', [payload]);
    await outbox.end(await claimed(outbox), [attempt('status 500')], 'failed');
  }

  test('is tried again by a start, from its first attempt on, like whatever waits for a further attempt', async () => {
    const { outbox } = bench();
    await giveUp(outbox, 'a');
    await add(outbox, 'cdn', ['b']);
    await outbox.end(await claimed(outbox), [attempt('status 500')], { retryInMs: 3_600_000 });
    await add(outbox, 'cdn', ['c'], 1000);
    await outbox.revive('cdn');
    const batch = await claimed(outbox);
    expect(batch.map(({ payload, tries }) => [payload, tries])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  test('is forgotten after its time, and beyond a number the oldest first', async () => {
    const { outbox, clock } = bench();
    for (const payload of ['a', 'b', 'c']) {
      await giveUp(outbox, payload);
      clock.now += 1000;
    }
    await add(outbox, 'cdn', ['waiting']);
    await outbox.removeEnded('cdn', { ageMs: 2500, max: 10 });
    expect(await outbox.stats('cdn')).toMatchObject({ failed: 2, waiting: 1 });
    await outbox.removeEnded('cdn', { ageMs: 1e6, max: 1 });
    expect(await outbox.stats('cdn')).toMatchObject({ failed: 1, waiting: 1 });
    await outbox.revive('cdn');
    expect(payloads(await outbox.claim('cdn', CLAIM))).toEqual(['c', 'waiting']);
  });
}

function bounds(bench: () => OutboxBench): void {
  test('hold for each target: what has no room as a whole is not added', async () => {
    const { outbox } = bench();
    expect(await outbox.addWithin(3, 'cdn', ['a', 'b'], 0)).toBe(true);
    expect(await outbox.addWithin(3, 'cdn', ['c', 'd'], 0)).toBe(false);
    expect(await outbox.addWithin(3, 'cdn', ['c'], 0)).toBe(true);
    expect(await outbox.addWithin(3, 'hook', ['x'], 0)).toBe(true);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 3 });
  });

  test('take thousands at once', async () => {
    const { outbox } = bench();
    const many = Array.from({ length: 2500 }, (_, n) => `p${n}`);
    expect(await outbox.addWithin(2500, 'cdn', many, 0)).toBe(true);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 2500 });
  });

  test('one entry can stand for all that wait; what is being sent goes on', async () => {
    const { outbox } = bench();
    await add(outbox, 'cdn', ['sending']);
    const sending = await claimed(outbox);
    await add(outbox, 'cdn', ['a', 'b']);
    await add(outbox, 'hook', ['x']);
    await outbox.replace('cdn', 'all', 0);
    expect(await outbox.end(sending, [attempt('status 500')], { retryInMs: 0 })).toBe(1);
    expect(payloads(await outbox.claim('cdn', CLAIM))).toEqual(['sending', 'all']);
    expect(await outbox.stats('hook')).toMatchObject({ waiting: 1 });
  });
}
