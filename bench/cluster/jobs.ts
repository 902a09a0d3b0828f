import { readFile } from 'node:fs/promises';
import { listen } from '../../test/listener.ts';
import { quantile, table, verdict } from '../tools/report.ts';
import type { Darkroom } from '../tools/service.ts';
import type { Site } from './nodes.ts';

const VIDEO = new URL('../../test/fixtures/schizo_90.mp4', import.meta.url);

/** Measures the delay from a request for a video on one node to the event that another node has started its job. */
export async function measureJobs(site: Site, quick: boolean): Promise<string[]> {
  const rounds = quick ? 2 : 40;
  const [front] = (await site.startNodes(1, { environment: { JOB_WORKER: 'false' } })) as [Darkroom];
  const worker = await site.startNode();
  await front.upload('clip.mp4', await readFile(VIDEO));
  const events = listen(`${front.url}/queue/events`);
  await events.next('connected');
  const started: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const { status } = await fetch(`${front.url}/t/w_${32 + 2 * round},h_16/clip.mp4`);
    if (status !== 202) throw new Error(`Expected 202 for a video, received ${status}.`);
    await events.next('job:started');
    started.push(performance.now() - start);
    await events.next('job:completed');
  }
  events.close();
  for (const { stop } of [front, worker]) await stop();
  const at = (share: number) => quantile(started, share).toFixed(1);
  return [
    '### Jobs',
    '',
    `From a request to a node without a worker to its event that another, idle node has started the job; ${rounds} rounds, ms.`,
    '',
    table(['', 'p50', 'p95', 'slowest'], [['job started', at(0.5), at(0.95), at(1)]]),
    '',
    verdict('a job starts on another node, p95', quantile(started, 0.95), 'at most', 250, ' ms'),
  ];
}
