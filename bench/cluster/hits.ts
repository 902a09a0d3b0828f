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

const COUNTS = [1, 2, 4];

/** What a cached hit costs with several nodes, and whether PostgreSQL hears of it. */
export async function measureHits(site: Site, photo: Buffer, quick: boolean): Promise<string[]> {
  const [rounds, seconds] = quick ? [1, 1] : [6, 3];
  const [alone, together] = [costsOfCounts(), costsOfCounts()];
  let [statements, hits] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    // Each round has processes of its own: how well V8 compiles the same code differs from one to the next.
    const services: Darkroom[] = [];
    for (let n = 0; n < Math.max(...COUNTS); n++) services.push(await site.startAlone({ cpu: SERVER_CPU }));
    const nodes = await site.startNodes(Math.max(...COUNTS), { cpu: SERVER_CPU });
    for (const one of [...services, ...nodes.slice(0, 1)]) await one.upload('photo.jpg', photo);
    for (const { url } of [...services, ...nodes]) await warm(url + VARIANT);
    const contestants = COUNTS.flatMap((count) => [
      { servers: services.slice(0, count), costs: alone.get(count) },
      { servers: nodes.slice(0, count), costs: together.get(count), isCounted: true },
    ]);
    for (const { servers, costs, isCounted } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      await loadAll(servers, quick ? 1 : 2);
      const { cost, ...counted } = await loadAndCount(site, servers, seconds, isCounted);
      statements += counted.statements;
      hits += counted.hits;
      costs?.push(cost);
    }
    for (const { stop } of [...services, ...nodes]) await stop();
  }
  const [one = []] = alone.values();
  const rows = COUNTS.map((count) => {
    const [theirs, ours] = [alone.get(count) ?? [], together.get(count) ?? []];
    const ratio = ratios(ours, theirs);
    return { count, ratio, cells: [spread(theirs, 1), spread(ours, 1), spread(ratio), spread(ratios(ours, one))] };
  });
  return [
    '### Cached hits',
    '',
    `A cached WebP of some 30 KB, ${CONNECTIONS} connections to each node, all nodes on one CPU and wrk on the other. CPU microseconds for`,
    'each request, summed over the nodes; beside them as many services that know nothing of one another, each with a bucket of its own:',
    'processes that share a CPU push one another out of its caches.',
    '',
    table(
      ['', 'services alone', 'nodes', 'nodes : as many alone', 'nodes : one alone'],
      rows.map(({ count, cells }) => [String(count), ...cells]),
    ),
    '',
    ...rows.map(({ count, ratio }) =>
      verdict(`CPU for each hit, nodes: ${count}, in ratio to as many services alone`, median(ratio), 'at most', 1.05),
    ),
    verdict('transactions of PostgreSQL for each hit, heartbeats included', statements / hits, 'at most', 0.001),
  ];
}

const costsOfCounts = () => new Map(COUNTS.map((count): [number, number[]] => [count, []]));

/** Loads all servers in parallel, and counts hits and transactions where that is asked for. */
async function loadAndCount(site: Site, servers: readonly Darkroom[], seconds: number, isCounted = false) {
  const before = await site.transactions();
  const { cost, count } = await loadAll(servers, seconds);
  if (!isCounted) return { cost, statements: 0, hits: 0 };
  await wait(COUNTED_MS);
  return { cost, statements: (await site.transactions()) - before, hits: count };
}

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
