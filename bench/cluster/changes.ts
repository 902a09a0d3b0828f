import { VARIANT } from '../cached.ts';
import { quantile, table, verdict } from '../tools/report.ts';
import { AUTHORIZATION, type Darkroom, warm } from '../tools/service.ts';
import type { Site } from './nodes.ts';

/** Without events, a node would serve a file for this long after it was deleted on another node. */
const ENVIRONMENT = { ORIGINAL_CHECK_INTERVAL_MS: '60000' };

/** Measures the delay of a deletion on another node. */
export async function measureChanges(site: Site, photo: Buffer, quick: boolean): Promise<string[]> {
  const rounds = quick ? 3 : 100;
  const [here, there] = (await site.startNodes(2, { environment: ENVIRONMENT })) as [Darkroom, Darkroom];
  const deleted: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `photo-${round}.jpg`;
    await here.upload(name, photo);
    const url = there.url + VARIANT.replace('photo.jpg', name);
    await warm(url);
    await call(here, `/storage/${name}`, 'DELETE');
    deleted.push(await untilDeleted(url));
  }
  for (const { stop } of [here, there]) await stop();
  const at = (share: number) => quantile(deleted, share).toFixed(1);
  return [
    '### Changes seen on another node',
    '',
    `From the response to a DELETE on one node to the first 404 on another one with the variant in memory; ${rounds} rounds, ms.`,
    'Requests follow each other without a pause. Originals are checked every 60 s, so that only an event can be the cause.',
    '',
    table(['', 'p50', 'p99', 'slowest'], [['deleted', at(0.5), at(0.99), at(1)]]),
    '',
    verdict('a deletion on another node, p99', quantile(deleted, 0.99), 'at most', 250, ' ms'),
  ];
}

async function call({ url }: Darkroom, path: string, method: string): Promise<void> {
  const answer = await fetch(url + path, { method, headers: AUTHORIZATION });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}

/** Milliseconds until the URL is 404. */
async function untilDeleted(url: string): Promise<number> {
  const start = performance.now();
  for (;;) {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (answer.status === 404) return performance.now() - start;
  }
}
