import { alternate, median, ratios, spread, table, verdict } from '../tools/report.ts';
import { fetchAll, timeVariants } from '../tools/requests.ts';
import type { Darkroom } from '../tools/service.ts';
import { type Site, sumOf } from './nodes.ts';

const VISITORS = 1000;
/** All visitors come from one address. */
const OPTIONS = { environment: { MAX_CONNECTIONS_PER_ADDRESS: String(2 * VISITORS) } };

/** Measures the cost of the lock before a render, and request coalescing across nodes. */
export async function measureCold(site: Site, photo: Buffer, quick: boolean): Promise<string[]> {
  const rounds = quick ? 1 : 8;
  const variants = quick ? 2 : 12;
  const alone = await site.startAlone(OPTIONS);
  const nodes = await site.startNodes(4, OPTIONS);
  const [first] = nodes as [Darkroom];
  for (const service of [alone, first]) await service.upload('photo.jpg', photo);
  let width = 100;
  // Until V8 has compiled the render path and each node has the original.
  for (const service of [alone, ...nodes]) await timeVariants(service, width++, 4);
  const cold = await alternate(
    { alone: () => timeVariants(alone, width++, variants), node: () => timeVariants(first, width++, variants) },
    rounds,
  );
  const crowds = await alternate(
    { alone: () => crowd([alone], width++), nodes: () => crowd(nodes, width++) },
    quick ? 1 : 6,
  );
  for (const { stop } of [alone, ...nodes]) await stop();
  const walls = (results: { ms: number }[]) => results.map(({ ms }) => ms);
  const renders = Math.max(...crowds.nodes.map((crowd) => crowd.renders));
  return [
    '### Cold variants',
    '',
    'One node of four, one request after another; and concurrent requests for one cold WebP.',
    '',
    table(
      ['', 'alone', 'nodes', 'in ratio to alone'],
      [
        ['a cold JPEG, ms', spread(cold.alone, 0), spread(cold.node, 0), spread(ratios(cold.node, cold.alone))],
        [
          `${VISITORS} concurrent requests to 4 nodes, ms`,
          spread(walls(crowds.alone), 0),
          spread(walls(crowds.nodes), 0),
          spread(ratios(walls(crowds.nodes), walls(crowds.alone))),
        ],
      ],
    ),
    '',
    verdict('a cold variant in ratio to alone', median(ratios(cold.node, cold.alone)), 'at most', 1.1),
    verdict(`renders for ${VISITORS} requests to 4 nodes, maximum of the rounds`, renders, 'exactly', 1),
    verdict(
      'duration of these requests in ratio to alone',
      median(ratios(walls(crowds.nodes), walls(crowds.alone))),
      'at most',
      1.3,
    ),
  ];
}

async function crowd(nodes: readonly Darkroom[], width: number): Promise<{ ms: number; renders: number }> {
  const before = await sumOf(nodes, 'darkroom_renders_total');
  const { bodies, ms } = await fetchAll(
    Array.from({ length: VISITORS }, (_, n) => {
      const { url } = nodes[n % nodes.length] as Darkroom;
      return `${url}/t/w_${800 + width},f_webp/photo.jpg`;
    }),
  );
  const [first = Buffer.alloc(0)] = bodies;
  if (!bodies.every((body) => body.equals(first))) throw new Error('Nodes sent different bytes for one variant.');
  return { ms, renders: (await sumOf(nodes, 'darkroom_renders_total')) - before };
}
