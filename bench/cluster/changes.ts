import { VARIANT } from '../cached.ts';
import { quantile, table, verdict } from '../tools/report.ts';
import { AUTHORIZATION, type Darkroom, warm } from '../tools/service.ts';
import type { Site } from './nodes.ts';

/** Without events, a node would serve a file for this long after it was deleted on another node. */
const ENVIRONMENT = { ORIGINAL_CHECK_INTERVAL_MS: '60000' };

const SPACE = 'acme';
const PHOTO = 'photo.jpg';

/** Measures the delay of changes on another node: a deletion, and the rules of a space. */
export async function measureChanges(site: Site, photo: Buffer, quick: boolean): Promise<string[]> {
  const rounds = quick ? 3 : 100;
  const [here, there] = (await site.startNodes(2, { environment: ENVIRONMENT })) as [Darkroom, Darkroom];
  const delays = {
    deleted: await measureDeletions(here, there, photo, rounds),
    ...(await measureRules(here, there, photo, rounds)),
  };
  for (const { stop } of [here, there]) await stop();
  return [
    '### Changes seen on another node',
    '',
    `From the response to a change on one node to the first answer of another one that shows it; ${rounds} rounds, ms. The other`,
    'node has the variant in memory, and requests follow each other without a pause. Originals are checked every 60 s, so that only',
    'an event can be the cause.',
    '',
    table(
      ['', 'p50', 'p99', 'slowest'],
      Object.entries(delays).map(([name, ms]) => [name, ...[0.5, 0.99, 1].map((at) => quantile(ms, at).toFixed(1))]),
    ),
    '',
    ...Object.entries(delays).map(([name, ms]) =>
      verdict(`${name}, on another node, p99`, quantile(ms, 0.99), 'at most', 250, ' ms'),
    ),
  ];
}

async function measureDeletions(here: Darkroom, there: Darkroom, photo: Buffer, rounds: number): Promise<number[]> {
  const delays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `photo-${round}.jpg`;
    await here.upload(name, photo);
    const url = there.url + VARIANT.replace(PHOTO, name);
    await warm(url);
    await call(here, 'DELETE', `/storage/${name}`);
    delays.push(await untilStatus(url, 404));
  }
  return delays;
}

async function measureRules(here: Darkroom, there: Darkroom, photo: Buffer, rounds: number) {
  await call(here, 'POST', '/spaces', { id: SPACE });
  await here.upload(`${SPACE}/${PHOTO}`, photo);
  const url = `${there.url}/b/${SPACE}${VARIANT}`;
  const change = (rules: object) => call(here, 'PATCH', `/spaces/${SPACE}`, rules);
  const delays = { 'a rule of a space': [] as number[], 'a disabled space': [] as number[] };
  for (let round = 0; round < rounds; round++) {
    await untilStatus(url, 200);
    await change({ delivery: 'signed' });
    delays['a rule of a space'].push(await untilStatus(url, 401));
    await change({ delivery: null });
    await untilStatus(url, 200);
    await change({ enabled: false });
    delays['a disabled space'].push(await untilStatus(url, 403));
    await change({ enabled: true });
  }
  return delays;
}

async function call({ url }: Darkroom, method: string, path: string, body?: object): Promise<void> {
  const answer = await fetch(url + path, {
    method,
    headers: { ...AUTHORIZATION, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}

/** Milliseconds until the URL answers with this status. */
async function untilStatus(url: string, status: number): Promise<number> {
  const start = performance.now();
  for (;;) {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    if (answer.status === status) return performance.now() - start;
  }
}
