import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Batch, Outbox } from '../../src/outbox/outbox.ts';

export interface OutboxBench {
  outbox: Outbox;
  /** The same rows, through another connection. */
  other: Outbox;
  /** Milliseconds since 1970. */
  clock: { now: number };
  close(): Promise<void>;
}

const ADD = { delayMs: 0, max: 1000 };
const CLAIM = { max: 10, leaseMs: 30_000, aheadMs: 0 };
const FAIL = { retryInMs: 1000, maxAttempts: 3 };

const payloads = (batch: Batch | undefined) => batch?.entries.map(({ payload }) => payload);

async function claimed(outbox: Outbox, target = 'cdn', options: Partial<typeof CLAIM> = {}): Promise<Batch> {
  const batch = await outbox.claim(target, { ...CLAIM, ...options });
  if (!batch) throw new Error('Nothing is due.');
  return batch;
}

/** What every outbox must do, whatever keeps the rows. `create` gives an empty one with the given clock. */
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
    expect(await outbox.add('cdn', ['a', 'b'], ADD)).toBe(true);
    await other.add('cdn', ['c'], ADD);
    const batch = await claimed(outbox);
    expect(payloads(batch)).toEqual(['a', 'b', 'c']);
    expect(batch.entries[0]).toMatchObject({ target: 'cdn', attempts: 1, createdAt: new Date(clock.now) });
    expect(new Set(batch.entries.map(({ id }) => id)).size).toBe(3);
  });

  test('belong to one target, and others do not see them', async () => {
    const { outbox } = bench();
    await outbox.add('hook 1', ['a'], ADD);
    await outbox.add('hook 2', ['b'], ADD);
    expect(payloads(await outbox.claim('hook 2', CLAIM))).toEqual(['b']);
    expect(await outbox.claim('hook 3', CLAIM)).toBeUndefined();
    expect(await outbox.stats('hook 1')).toMatchObject({ waiting: 1 });
  });

  test('come in batches of a limited size', async () => {
    const { outbox } = bench();
    await outbox.add('cdn', ['a', 'b', 'c'], ADD);
    expect(payloads(await claimed(outbox, 'cdn', { max: 2 }))).toEqual(['a', 'b']);
    expect(payloads(await claimed(outbox, 'cdn', { max: 2 }))).toEqual(['c']);
    expect(await outbox.claim('cdn', CLAIM)).toBeUndefined();
  });

  test('wait for their time, and go with the first that is due when theirs is near', async () => {
    const { outbox, clock } = bench();
    await outbox.add('cdn', ['a'], { ...ADD, delayMs: 1000 });
    clock.now += 300;
    await outbox.add('cdn', ['b'], { ...ADD, delayMs: 1000 });
    clock.now += 300;
    await outbox.add('cdn', ['c'], { ...ADD, delayMs: 1000 });
    const near = { ...CLAIM, aheadMs: 500 };
    expect(await outbox.claim('cdn', near)).toBeUndefined();
    expect(await outbox.nextDueIn('cdn')).toBe(400);
    clock.now += 400;
    expect(payloads(await outbox.claim('cdn', near))).toEqual(['a', 'b']);
    clock.now += 600;
    expect(payloads(await outbox.claim('cdn', near))).toEqual(['c']);
    expect(await outbox.nextDueIn('other')).toBeUndefined();
  });

  test('are forgotten when they are delivered, and those of other batches are not', async () => {
    const { outbox } = bench();
    await outbox.add('cdn', ['a', 'b'], ADD);
    const [one, two] = [await claimed(outbox, 'cdn', { max: 1 }), await claimed(outbox, 'cdn', { max: 1 })];
    await outbox.delivered(one);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 1 });
    await outbox.delivered(two);
    expect(await outbox.stats('cdn')).toEqual({ waiting: 0, failed: 0, oldestAt: undefined, lastError: undefined });
  });

  test('that are added while others are sent are sent as well', async () => {
    const { outbox } = bench();
    await outbox.add('cdn', ['a'], ADD);
    const first = await claimed(outbox);
    await outbox.add('cdn', ['a'], ADD);
    await outbox.delivered(first);
    expect(payloads(await outbox.claim('cdn', CLAIM))).toEqual(['a']);
  });
}

function failing(bench: () => OutboxBench): void {
  test('that take longer than their lease are taken over, and what becomes of the first says nothing any more', async () => {
    const { outbox, other, clock } = bench();
    await outbox.add('cdn', ['a'], ADD);
    const late = await claimed(outbox);
    clock.now += CLAIM.leaseMs - 1;
    expect(await other.claim('cdn', CLAIM)).toBeUndefined();
    expect(await other.nextDueIn('cdn')).toBe(1);
    clock.now += 2;
    const taken = await claimed(other);
    expect(taken.entries[0]?.attempts).toBe(2);
    await outbox.delivered(late);
    expect(await outbox.failed(late, 'late', { ...FAIL, maxAttempts: 1 })).toBe(0);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 1, failed: 0, lastError: undefined });
    await other.delivered(taken);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 0 });
  });

  test('are made again after a while, and given up after the last one', async () => {
    const { outbox, clock } = bench();
    await outbox.add('cdn', ['a'], ADD);
    const oldestAt = new Date(clock.now);
    for (const attempt of [1, 2]) {
      const batch = await claimed(outbox);
      expect(batch.entries[0]?.attempts).toBe(attempt);
      expect(await outbox.failed(batch, `status 50${attempt}`, FAIL)).toBe(0);
      expect(await outbox.claim('cdn', CLAIM)).toBeUndefined();
      clock.now += FAIL.retryInMs;
    }
    expect(await outbox.stats('cdn')).toEqual({ waiting: 1, failed: 0, oldestAt, lastError: 'status 502' });
    expect(await outbox.failed(await claimed(outbox), 'status 503', FAIL)).toBe(1);
    clock.now += 1e6;
    expect(await outbox.claim('cdn', CLAIM)).toBeUndefined();
    expect(await outbox.stats('cdn')).toEqual({ waiting: 0, failed: 1, oldestAt: undefined, lastError: 'status 503' });
  });

  test('do not count when they are broken off', async () => {
    const { outbox } = bench();
    await outbox.add('cdn', ['a'], ADD);
    for (let time = 0; time < 5; time++) await outbox.release(await claimed(outbox));
    expect((await claimed(outbox)).entries[0]?.attempts).toBe(1);
  });

  test('are made in spite of a clock that is set back', async () => {
    const { outbox, clock } = bench();
    await outbox.add('cdn', ['a'], ADD);
    const held = await claimed(outbox);
    await outbox.add('cdn', ['b'], ADD);
    clock.now -= 86_400_000;
    expect(payloads(await outbox.claim('cdn', CLAIM))).toEqual(['a', 'b']);
    await outbox.delivered(held);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 2 });
  });
}

function givingUp(bench: () => OutboxBench): void {
  async function giveUp(outbox: Outbox, payload: string): Promise<void> {
    await outbox.add('cdn', [payload], ADD);
    await outbox.failed(await claimed(outbox), 'status 500', { ...FAIL, maxAttempts: 1 });
  }

  test('is tried again by a start, from its first attempt on, like whatever waits for a further attempt', async () => {
    const { outbox } = bench();
    await giveUp(outbox, 'a');
    await outbox.add('cdn', ['b'], ADD);
    await outbox.failed(await claimed(outbox), 'status 500', { ...FAIL, retryInMs: 3_600_000 });
    await outbox.add('cdn', ['c'], { ...ADD, delayMs: 1000 });
    await outbox.revive('cdn');
    const batch = await claimed(outbox);
    expect(batch.entries.map(({ payload, attempts }) => [payload, attempts])).toEqual([
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
    await outbox.add('cdn', ['waiting'], ADD);
    await outbox.forgetFailed('cdn', { ageMs: 2500, max: 10 });
    expect(await outbox.stats('cdn')).toMatchObject({ failed: 2, waiting: 1 });
    await outbox.forgetFailed('cdn', { ageMs: 1e6, max: 1 });
    expect(await outbox.stats('cdn')).toMatchObject({ failed: 1, waiting: 1 });
    await outbox.revive('cdn');
    expect(payloads(await outbox.claim('cdn', CLAIM))).toEqual(['c', 'waiting']);
  });
}

function bounds(bench: () => OutboxBench): void {
  test('hold for each target: what has no room as a whole is not added', async () => {
    const { outbox } = bench();
    const limit = { ...ADD, max: 3 };
    expect(await outbox.add('cdn', ['a', 'b'], limit)).toBe(true);
    expect(await outbox.add('cdn', ['c', 'd'], limit)).toBe(false);
    expect(await outbox.add('cdn', ['c'], limit)).toBe(true);
    expect(await outbox.add('hook', ['x'], limit)).toBe(true);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 3 });
  });

  test('take thousands at once', async () => {
    const { outbox } = bench();
    const many = Array.from({ length: 2500 }, (_, n) => `p${n}`);
    expect(await outbox.add('cdn', many, { ...ADD, max: 2500 })).toBe(true);
    expect(await outbox.stats('cdn')).toMatchObject({ waiting: 2500 });
  });

  test('one entry can stand for all that wait; what is being sent goes on', async () => {
    const { outbox } = bench();
    await outbox.add('cdn', ['sending'], ADD);
    const sending = await claimed(outbox);
    await outbox.add('cdn', ['a', 'b'], ADD);
    await outbox.add('hook', ['x'], ADD);
    await outbox.replace('cdn', 'all', 0);
    expect(await outbox.failed(sending, 'status 500', { ...FAIL, retryInMs: 0 })).toBe(0);
    expect(payloads(await outbox.claim('cdn', CLAIM))).toEqual(['sending', 'all']);
    expect(await outbox.stats('hook')).toMatchObject({ waiting: 1 });
  });
}
