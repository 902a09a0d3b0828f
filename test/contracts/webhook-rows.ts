import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { StoragePath } from '../../src/path.ts';
import type { WebhookRows } from '../../src/webhooks/webhook-rows.ts';

export interface WebhookBench {
  webhooks: WebhookRows;
  deliveries: Outbox;
  /** The same rows, through another connection. */
  others: Outbox;
  /** Milliseconds since 1970. */
  clock: { now: number };
  close(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const LEASE_MS = 30_000;
const CLAIM = { max: 5, leaseMs: LEASE_MS };
const FIELDS = {
  url: 'https://a.example/',
  events: ['file.stored'],
  folder: '' as StoragePath,
  enabled: true,
} as const;
const ATTEMPT = { at: '2026-01-01T00:00:00.000Z', responseStatus: 500, durationMs: 5, error: 'status 500' };

/** Tests of the rows of webhooks in each database. `create` returns empty ones with the given clock. */
export function webhookRowsContract(name: string, create: (clock: { now: number }) => Promise<WebhookBench>): void {
  describe(`the webhooks in ${name}`, () => {
    let bench: WebhookBench;
    let id: string;
    beforeEach(async () => {
      bench = await create({ now: Date.UTC(2026, 0, 1) });
      id = (await bench.webhooks.add(FIELDS, 2))?.webhook.id ?? '';
    });
    afterEach(() => bench.close());

    const add = (payload: string) => bench.deliveries.add([{ target: id, event: 'file.stored', payload }]);

    test('are kept as they are given, and not more than there may be', async () => {
      expect(await bench.webhooks.find(id)).toMatchObject({ ...FIELDS, createdAt: new Date(bench.clock.now) });
      expect(await bench.webhooks.add(FIELDS, 2)).toBeDefined();
      expect(await bench.webhooks.add(FIELDS, 2)).toBeUndefined();
      expect(await bench.webhooks.update(id, { folder: 'a' as StoragePath })).toMatchObject({
        folder: 'a',
        enabled: true,
      });
      expect([await bench.webhooks.remove(id), await bench.webhooks.remove(id)]).toEqual([true, false]);
    });

    test('have two secrets for a day after a new one was made', async () => {
      const [before] = (await bench.webhooks.address(id))?.secrets ?? [];
      const rotated = await bench.webhooks.rotateSecret(id);
      expect((await bench.webhooks.address(id))?.secrets).toEqual([rotated?.secret, before]);
      bench.clock.now += 24 * HOUR_MS;
      expect((await bench.webhooks.address(id))?.secrets).toEqual([rotated?.secret]);
    });

    test('know for how long they have been failing', async () => {
      expect(await bench.webhooks.noteFailed(id)).toBe(0);
      bench.clock.now += HOUR_MS;
      expect(await bench.webhooks.noteFailed(id)).toBe(HOUR_MS);
      await bench.webhooks.noteReceived(id);
      expect(await bench.webhooks.noteFailed(id)).toBe(0);
      expect([await bench.webhooks.disable(id, 'why'), await bench.webhooks.disable(id, 'why')]).toEqual([true, false]);
      expect(await bench.webhooks.find(id)).toMatchObject({ enabled: false, disabledReason: 'why' });
    });

    test('have deliveries that one process has at a time, until its lease runs out', async () => {
      const { deliveries, others, clock } = bench;
      await add('a');
      const [claimed] = await deliveries.claim(id, CLAIM);
      expect(claimed).toMatchObject({ payload: 'a', tries: 1, attempts: [] });
      expect(await others.claim(id, CLAIM)).toEqual([]);
      expect(await others.nextDueIn(id)).toBe(LEASE_MS);
      clock.now += LEASE_MS + 1;
      const [again] = await others.claim(id, CLAIM);
      expect(again).toMatchObject({ id: claimed?.id, tries: 2 });
      if (claimed) await deliveries.end([claimed], [ATTEMPT], 'delivered');
      expect(await deliveries.find(id, claimed?.id ?? '')).toMatchObject({ status: 'pending', attempts: [] });
    });

    test('have deliveries that wait, end, and are sent again', async () => {
      const { deliveries, clock } = bench;
      const [delivery = ''] = await add('a');
      const [first] = await deliveries.claim(id, CLAIM);
      if (first) await deliveries.end([first], [ATTEMPT], { retryInMs: HOUR_MS });
      expect(await deliveries.nextDueIn(id)).toBe(HOUR_MS);
      expect(await deliveries.claim(id, CLAIM)).toEqual([]);
      clock.now += HOUR_MS;
      const [second] = await deliveries.claim(id, CLAIM);
      expect(second?.attempts).toEqual([ATTEMPT]);
      expect(await deliveries.redeliver(id, delivery)).toBe(false);
      if (second) await deliveries.end([second], [ATTEMPT, ATTEMPT], 'failed');
      expect(await deliveries.find(id, delivery)).toMatchObject({ status: 'failed', attempts: [ATTEMPT, ATTEMPT] });
      expect(await deliveries.redeliver(id, delivery)).toBe(true);
      expect((await deliveries.claim(id, CLAIM))[0]).toMatchObject({ id: delivery, tries: 1 });
    });

    test('do not count an attempt that was broken off', async () => {
      await add('a');
      const [claimed] = await bench.deliveries.claim(id, CLAIM);
      if (claimed) await bench.deliveries.release([claimed]);
      expect((await bench.others.claim(id, CLAIM))[0]).toMatchObject({ id: claimed?.id, tries: 1 });
    });

    test('are sent to although the clock was set back', async () => {
      const { deliveries, clock } = bench;
      await add('a');
      clock.now -= 24 * HOUR_MS;
      expect(await deliveries.claim(id, CLAIM)).toHaveLength(1);
      clock.now -= 24 * HOUR_MS;
      expect(await deliveries.claim(id, CLAIM)).toHaveLength(1);
    });

    test('forget what is old, what is beyond a number, and what was for webhooks that are gone', async () => {
      const { deliveries, clock } = bench;
      await deliveries.add([{ target: 'gone', event: 'file.stored', payload: '{}' }]);
      await add('old');
      clock.now += 2 * HOUR_MS;
      for (const payload of ['1', '2', '3']) await add(payload);
      for (const one of await deliveries.claim(id, { ...CLAIM, max: 4 }))
        await deliveries.end([one], [ATTEMPT], 'delivered');
      await add('waiting');
      await deliveries.removeEnded(id, { ageMs: HOUR_MS, max: 2 });
      await deliveries.removeOld(HOUR_MS);
      const left = await deliveries.page(id, { limit: 10 });
      expect(left.map(({ payload }) => payload)).toEqual(['waiting', '3', '2']);
      expect(await deliveries.waiting()).toEqual(new Map([[id, 1]]));
    });

    test('take as many deliveries at once as a folder has files', async () => {
      const { deliveries } = bench;
      await deliveries.add(Array.from({ length: 10_000 }, () => ({ target: id, event: 'file.stored', payload: '{}' })));
      expect(await deliveries.waiting()).toEqual(new Map([[id, 10_000]]));
    });

    test('hand out each delivery once, however many ask at once', async () => {
      const { deliveries, others } = bench;
      const payloads = Array.from({ length: 60 }, (_, n) => `p${n}`);
      await deliveries.add(payloads.map((payload) => ({ target: id, event: 'file.stored', payload })));
      const found: string[] = [];
      while (found.length < payloads.length) {
        const asked = Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? deliveries : others).claim(id, { ...CLAIM, max: 4 }),
        );
        for (const claimed of await Promise.all(asked)) found.push(...claimed.map(({ payload }) => payload));
      }
      expect(found.sort()).toEqual(payloads.sort());
    });
  });
}
