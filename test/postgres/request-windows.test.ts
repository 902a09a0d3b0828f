import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { createRequestWindows } from '../../src/db/request-windows.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

const WINDOW_MS = 60_000;

describeOnPostgres('the windows that nodes count together', () => {
  let nodes: OpenDatabase[];

  beforeAll(async () => {
    const url = await newDatabase();
    nodes = [await openDatabase({ file: '', url }), await openDatabase({ file: '', url })];
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
  });

  const windowsDb = () => (nodes[0] as OpenDatabase).db;
  const windowsOf = (node: number, windowMs = WINDOW_MS) =>
    createRequestWindows((nodes[node] as OpenDatabase).db, windowMs);

  it('add up what each node has counted, exactly, however they meet', async () => {
    const clients = Array.from({ length: 40 }, (_, n) => `203.0.113.${n}`);
    const rounds = Array.from({ length: 10 }, (_, round) =>
      [0, 1].map((node) => {
        // In orders that would deadlock.
        const order = (round + node) % 2 === 0 ? clients : clients.toReversed();
        return windowsOf(node).add(order.map((client) => ({ client, count: 3 })));
      }),
    );
    await Promise.all(rounds.flat());
    const totals = await windowsOf(0).add(clients.map((client) => ({ client, count: 0 })));
    expect(totals.map(({ client, count }) => [client, count]).sort()).toEqual(
      clients.map((client) => [client, 60]).sort(),
    );
    for (const { leftMs } of totals) {
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThanOrEqual(WINDOW_MS);
    }
  });

  it('begin again when they have ended, and are removed then', async () => {
    const ended = windowsOf(0, 0);
    expect(await ended.add([{ client: 'a', count: 5 }])).toMatchObject([{ client: 'a', count: 5 }]);
    expect(await ended.add([{ client: 'a', count: 2 }])).toMatchObject([{ client: 'a', count: 2 }]);
    await windowsOf(1).add([{ client: 'b', count: 1 }]);
    await ended.tidy();
    expect(await windowsOf(0).add([{ client: 'a', count: 1 }])).toMatchObject([{ client: 'a', count: 1 }]);
    expect(await windowsOf(0).add([{ client: 'b', count: 1 }])).toMatchObject([{ client: 'b', count: 2 }]);
  });

  it('are all removed when they have ended, however many clients there were', async () => {
    const ended = windowsOf(0, 0);
    for (const part of ['a', 'b', 'c'])
      await ended.add(Array.from({ length: 9000 }, (_, n) => ({ client: `many ${part} ${n}`, count: 1 })));
    await ended.tidy();
    const { rows } = await sql`select 1 from request_window where client like 'many %'`.execute(windowsDb());
    expect(rows).toEqual([]);
  });

  it('take nothing as an answer to nothing', async () => {
    expect(await windowsOf(0).add([])).toEqual([]);
  });
});
