import { cpuSeconds } from '../tools/process.ts';
import { table, verdict } from '../tools/report.ts';
import { type LargeLibrary, MANY } from './library.ts';

const PAGE = 200;
const REQUESTS = 50;

/** What the first page of a large folder costs the service, which counts its time in hundredths of a second. */
export async function measureListing(library: LargeLibrary, count: number, quick: boolean): Promise<string[]> {
  const path = `/storage?path=${MANY}&sort=name&order=asc&limit=${PAGE}&offset=0`;
  const cpuMs = async (times: number) => {
    const before = cpuSeconds(library.pid);
    for (let request = 0; request < times; request++) await (await library.ask(path)).arrayBuffer();
    return ((cpuSeconds(library.pid) - before) * 1000) / times;
  };
  const first = await cpuMs(1);
  const next = await cpuMs(quick ? 5 : REQUESTS);
  return [
    '### First page',
    '',
    `The first ${PAGE} of ${count.toLocaleString('en')} files by name: CPU of the service and its workers.`,
    '',
    table(
      ['request', 'CPU ms'],
      [
        ['the first after the start', first.toFixed(0)],
        [`each of the ${REQUESTS} that follow`, next.toFixed(1)],
      ],
    ),
    '',
    verdict('CPU of the first page', Math.max(first, next), 'at most', 200, ' ms'),
  ];
}
