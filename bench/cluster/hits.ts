import { setTimeout as wait } from 'node:timers/promises';
import { VARIANT } from '../cached.ts';
import { median, ratios, spread, table, verdict } from '../tools/report.ts';
import { type Darkroom, warm } from '../tools/service.ts';
import { loadWith } from '../tools/wrk.ts';
import type { Site } from './nodes.ts';

const SERVER_CPU = 0;
const CLIENT_CPU = 1;
/** Connections to each node. */
const CONNECTIONS = 16;

/** Delay of PostgreSQL's transaction counter. */
const COUNTED_MS = 1500;

const COUNTS = [1, 2, 4];

/** Measures CPU and PostgreSQL transactions per cached hit with several nodes. */
export async function measureHits(site: Site, photo: Buffer, quick: boolean): Promise<string[]> {
  const rounds = quick ? 1 : 6;
  const seconds = quick ? 1 : 3;
  const alone = costsByCount();
  const together = costsByCount();
  let statements = 0;
  let hits = 0;
  for (let round = 0; round < rounds; round++) {
    // New processes in each round, because V8 optimizes the same code differently from one process to the next.
    const services: Darkroom[] = [];
    for (let n = 0; n < Math.max(...COUNTS); n++) services.push(await site.startAlone({ cpu: SERVER_CPU }));
    const nodes = await site.startNodes(Math.max(...COUNTS), { cpu: SERVER_CPU });
    for (const service of [...services, ...nodes.slice(0, 1)]) await service.upload('photo.jpg', photo);
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
  const [single = []] = alone.values();
  const rows = COUNTS.map((count) => {
    const separate = alone.get(count) ?? [];
    const nodes = together.get(count) ?? [];
    const ratio = ratios(nodes, separate);
    const cells = [spread(separate, 1), spread(nodes, 1), spread(ratio), spread(ratios(nodes, single))];
    return { count, ratio, cells };
  });
  return [
    '### Cached hits',
    '',
    `A cached WebP of about 30 KB, ${CONNECTIONS} connections to each node, all nodes on one CPU and wrk on the other. CPU us per request,`,
    'summed over the nodes, next to as many independent services with their own buckets: processes that share a CPU evict each other',
    'from its caches.',
    '',
    table(
      ['', 'services alone', 'nodes', 'nodes : as many alone', 'nodes : one alone'],
      rows.map(({ count, cells }) => [String(count), ...cells]),
    ),
    '',
    ...rows.map(({ count, ratio }) =>
      verdict(`CPU per hit, nodes: ${count}, in ratio to as many services alone`, median(ratio), 'at most', 1.05),
    ),
    verdict('PostgreSQL transactions per hit, heartbeats included', statements / hits, 'at most', 0.001),
  ];
}

const costsByCount = () => new Map(COUNTS.map((count): [number, number[]] => [count, []]));

/** Loads all servers in parallel. Counts hits and transactions if `isCounted`. */
async function loadAndCount(site: Site, servers: readonly Darkroom[], seconds: number, isCounted = false) {
  const before = await site.transactions();
  const { cost, count } = await loadAll(servers, seconds);
  if (!isCounted) return { cost, statements: 0, hits: 0 };
  await wait(COUNTED_MS);
  return { cost, statements: (await site.transactions()) - before, hits: count };
}

/** Loads all servers in parallel. @returns CPU us per request and number of requests */
async function loadAll(servers: readonly Darkroom[], seconds: number): Promise<{ cost: number; count: number }> {
  const loads = servers.map(({ url, pid }) =>
    loadWith({ url: url + VARIANT, pid, connections: CONNECTIONS, seconds, cpu: CLIENT_CPU }),
  );
  const results = await Promise.all(loads);
  const rate = results.reduce((sum, result) => sum + result.rate, 0);
  const used = results.reduce((sum, result) => sum + result.rate * result.cpuMicroseconds, 0);
  return { cost: used / rate, count: rate * seconds };
}
