import { setTimeout as wait } from 'node:timers/promises';
import { VARIANT } from '../cached.ts';
import { median, ratios, spread, table, verdict } from '../tools/report.ts';
import { type Darkroom, warm } from '../tools/service.ts';
import { loadWith } from '../tools/wrk.ts';
import type { Site } from './nodes.ts';

const SERVER_CPU = 0;
const CLIENT_CPU = 1;
/** To each node. */
const CONNECTIONS = 16;

/** PostgreSQL counts a transaction within this time. */
const COUNTED_MS = 1500;

/** What a cached hit costs with several nodes, and whether PostgreSQL hears of it. */
export async function measureHits(site: Site, photo: Buffer, quick: boolean): Promise<string[]> {
  const [rounds, seconds] = quick ? [1, 1] : [6, 3];
  const counts = [1, 2, 4];
  const costs: Record<string, number[]> = {};
  let [statements, hits] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    // Each round has processes of its own: how well V8 compiles the same code differs from one to the next.
    const alone = [await site.startAlone({ cpu: SERVER_CPU })];
    const nodes = await site.startNodes(Math.max(...counts), { cpu: SERVER_CPU });
    for (const [first] of [alone, nodes]) await first?.upload('photo.jpg', photo);
    for (const { url } of [...alone, ...nodes]) await warm(url + VARIANT);
    const contestants: [string, Darkroom[]][] = [
      ['alone', alone],
      ...counts.map((count): [string, Darkroom[]] => [nameOf(count), nodes.slice(0, count)]),
    ];
    for (const [name, servers] of round % 2 === 0 ? contestants : contestants.toReversed()) {
      await loadAll(servers, quick ? 1 : 2);
      const before = await site.transactions();
      const { cost, count } = await loadAll(servers, seconds);
      if (name !== 'alone') {
        await wait(COUNTED_MS);
        statements += (await site.transactions()) - before;
        hits += count;
      }
      costs[name] = [...(costs[name] ?? []), cost];
    }
    for (const { stop } of [...alone, ...nodes]) await stop();
  }
  const { alone: base = [] } = costs;
  const row = ([name, values]: [string, number[]]) => [name, spread(values, 1), spread(ratios(values, base))];
  return [
    '### Cached hits',
    '',
    `A cached WebP of some 30 KB, ${CONNECTIONS} connections to each node, all nodes on one CPU and wrk on the other. CPU microseconds for each request, summed over the nodes.`,
    '',
    table(['', 'CPU us/request', 'in ratio to alone'], Object.entries(costs).map(row)),
    '',
    ...counts.map((count) => {
      const ratio = median(ratios(costs[nameOf(count)] ?? [], base));
      return verdict(`CPU for each hit, ${nameOf(count)}, in ratio to alone`, ratio, 'at most', 1.05);
    }),
    verdict('transactions of PostgreSQL for each hit, heartbeats included', statements / hits, 'at most', 0.001),
  ];
}

const nameOf = (count: number) => (count === 1 ? '1 node' : `${count} nodes`);

/** Loads all at once. */
async function loadAll(servers: readonly Darkroom[], seconds: number): Promise<{ cost: number; count: number }> {
  const loads = servers.map(({ url, pid }) =>
    loadWith({ url: url + VARIANT, pid, connections: CONNECTIONS, seconds, cpu: CLIENT_CPU }),
  );
  const results = await Promise.all(loads);
  const rate = results.reduce((sum, one) => sum + one.rate, 0);
  const used = results.reduce((sum, one) => sum + one.rate * one.cpuMicroseconds, 0);
  return { cost: used / rate, count: rate * seconds };
}
