import { alternate, median, ratios, spread, table, verdict } from '../tools/report.ts';
import { fetchAtOnce, timeVariants } from '../tools/requests.ts';
import type { Darkroom } from '../tools/service.ts';
import { type Site, sumOf } from './nodes.ts';

const VISITORS = 1000;
/** All of them come from one address. */
const ROOM = { environment: { MAX_CONNECTIONS_PER_ADDRESS: String(2 * VISITORS) } };

/** What it costs to ask the others before a render, and what a crowd does that meets several nodes. */
export async function measureCold(site: Site, photo: Buffer, quick: boolean): Promise<string[]> {
  const [rounds, variants] = quick ? [1, 2] : [8, 12];
  const alone = await site.startAlone(ROOM);
  const nodes = await site.startNodes(4, ROOM);
  const [first] = nodes as [Darkroom];
  for (const service of [alone, first]) await service.upload('photo.jpg', photo);
  let width = 100;
  // The service compiles its code, and each node gets the original.
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
  const renders = Math.max(...crowds.nodes.map((one) => one.renders));
  return [
    '### Cold variants',
    '',
    'One node of four, one request after the other; and a crowd that asks for one cold WebP at once.',
    '',
    table(
      ['', 'alone', 'nodes', 'in ratio to alone'],
      [
        ['a cold JPEG, ms', spread(cold.alone, 0), spread(cold.node, 0), spread(ratios(cold.node, cold.alone))],
        [
          `${VISITORS} requests at once over 4 nodes, ms`,
          spread(walls(crowds.alone), 0),
          spread(walls(crowds.nodes), 0),
          spread(ratios(walls(crowds.nodes), walls(crowds.alone))),
        ],
      ],
    ),
    '',
    verdict('a cold variant in ratio to alone', median(ratios(cold.node, cold.alone)), 'at most', 1.1),
    verdict(`renders for ${VISITORS} requests to 4 nodes, at most in a round`, renders, 'exactly', 1),
    verdict(
      'time of such a crowd in ratio to alone',
      median(ratios(walls(crowds.nodes), walls(crowds.alone))),
      'at most',
      1.3,
    ),
  ];
}

async function crowd(nodes: readonly Darkroom[], width: number): Promise<{ ms: number; renders: number }> {
  const before = await sumOf(nodes, 'darkroom_renders_total');
  const { bodies, ms } = await fetchAtOnce(
    Array.from({ length: VISITORS }, (_, n) => {
      const { url } = nodes[n % nodes.length] as Darkroom;
      return `${url}/t/w_${800 + width},f_webp/photo.jpg`;
    }),
  );
  const [first = Buffer.alloc(0)] = bodies;
  if (!bodies.every((body) => body.equals(first))) throw new Error('Nodes gave different bytes for one variant.');
  return { ms, renders: (await sumOf(nodes, 'darkroom_renders_total')) - before };
}
