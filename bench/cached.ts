import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, startBareHttp, startNginx } from './cached/servers.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { requirePrograms } from './tools/programs.ts';
import { alternate, median, ratios, spread, table, verdict, whole } from './tools/report.ts';
import { type Darkroom, startDarkroom, warm } from './tools/service.ts';
import { type Load, type LoadResult, loadWith } from './tools/wrk.ts';

const PHOTO = new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url);
/** About 30 KB. */
const VARIANT = '/t/w_450,f_webp/photo.jpg';
const NEGOTIATED = '/t/w_600/photo.jpg';
const MISSING = '/t/w_450,f_webp/missing.jpg';

const BROWSER = {
  Accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-GB,en;q=0.9',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  Referer: 'https://www.example.com/gallery/summer?page=3',
  'Sec-Fetch-Dest': 'image',
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Site': 'cross-site',
};

/** The service with what nginx is set to as well: no line in the log for each request. */
const QUIET = 'darkroom, no request log';

const SERVER_CPU = 0;
const CLIENT_CPU = 1;

type Results = Record<string, LoadResult[]>;

interface Case {
  name: string;
  results: Results;
}

/** A target that is loaded: a server and what to ask it for. */
type Contestant = Pick<Load, 'url' | 'headers' | 'pid' | 'expectErrors'>;

export const cached: Benchmark = {
  name: 'cached',
  async run({ quick }) {
    requirePrograms('wrk', 'nginx', 'taskset');
    const [rounds, seconds] = quick ? [2, 1] : [5, 3];
    const measure = (connections: number, contestants: Record<string, Contestant>) =>
      measureAll(contestants, { rounds, seconds, connections });
    const data = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
    const darkroom = await startDarkroom({ cpu: SERVER_CPU, data });
    await darkroom.upload('photo.jpg', await readFile(PHOTO));
    const quiet = await startDarkroom({ cpu: SERVER_CPU, environment: { LOG_REQUESTS: 'errors' } });
    await quiet.upload('photo.jpg', await readFile(PHOTO));
    await warm(quiet.url + VARIANT);
    await warm(darkroom.url + VARIANT);
    // Once more: what is sent when the short way has seen it.
    const answer = await warm(darkroom.url + VARIANT);
    await warm(darkroom.url + NEGOTIATED, BROWSER);
    const bare = await startBareHttp(answer, SERVER_CPU);
    const nginx = await startNginx(answer, SERVER_CPU);
    const cases = await measureInMemory(measure, { darkroom, quiet, bare, nginx });
    await Promise.all([darkroom.stop(), quiet.stop()]);
    cases.push(
      await measureAgain(measure, data, { nginx }, 'hit, each request counted by the rate limit, 16', {
        PUBLIC_RATE_LIMIT_MAX: '1000000000',
      }),
      await measureAgain(measure, data, { nginx }, 'hit read from the disk tier, 16', { CACHE_MEMORY_MB: '0' }),
    );
    await Promise.all([bare.stop(), nginx.stop()]);
    await rm(data, { recursive: true, force: true });
    return describe(cases, answer.bytes.length, { rounds, seconds });
  },
};

type Measure = (connections: number, contestants: Record<string, Contestant>) => Promise<Results>;

async function measureInMemory(
  measure: Measure,
  { darkroom, quiet, bare, nginx }: { darkroom: Darkroom; quiet: Darkroom; bare: Server; nginx: Server },
): Promise<Case[]> {
  const { pid } = darkroom;
  const variant = { url: darkroom.url + VARIANT, pid };
  const plain = { darkroom: variant, [QUIET]: { url: quiet.url + VARIANT, pid: quiet.pid }, bare, nginx };
  const browser = {
    darkroom: { url: darkroom.url + NEGOTIATED, pid, headers: BROWSER },
    bare: { ...bare, headers: BROWSER },
    nginx: { ...nginx, headers: BROWSER },
  };
  const revalidation = { darkroom: await revalidating(variant), nginx: await revalidating(nginx) };
  const missing = {
    darkroom: { url: darkroom.url + MISSING, pid, expectErrors: true },
    nginx: { ...nginx, url: nginx.url.replace('photo', 'missing'), expectErrors: true },
  };
  return [
    { name: 'hit, 16 connections', results: await measure(16, plain) },
    { name: 'hit, 64 connections', results: await measure(64, plain) },
    { name: "hit, a browser's headers, negotiated, 16", results: await measure(16, browser) },
    { name: '304, 16', results: await measure(16, revalidation) },
    { name: '404, 16', results: await measure(16, missing) },
  ];
}

/** The service again, on the same data, with other settings: without a memory tier each hit is read from disk. */
async function measureAgain(
  measure: Measure,
  data: string,
  others: Record<string, Contestant>,
  name: string,
  environment: Record<string, string>,
): Promise<Case> {
  const darkroom = await startDarkroom({ cpu: SERVER_CPU, data, environment });
  const url = darkroom.url + VARIANT;
  await warm(url);
  const results = await measure(16, { darkroom: { url, pid: darkroom.pid }, ...others });
  await darkroom.stop();
  return { name, results };
}

async function revalidating({ url, pid }: Contestant): Promise<Contestant> {
  const headers = { 'If-None-Match': (await fetch(url)).headers.get('etag') ?? '' };
  const { status } = await fetch(url, { headers });
  if (status !== 304) throw new Error(`Expected 304 of ${url}, received ${status}.`);
  return { url, pid, headers };
}

async function measureAll(
  contestants: Record<string, Contestant>,
  { rounds, seconds, connections }: { rounds: number; seconds: number; connections: number },
): Promise<Results> {
  const load = (contestant: Contestant, time: number) => () =>
    loadWith({ ...contestant, connections, seconds: time, cpu: CLIENT_CPU });
  const runs = Object.entries(contestants);
  for (const [, contestant] of runs) await load(contestant, 1)();
  return alternate(Object.fromEntries(runs.map(([name, contestant]) => [name, load(contestant, seconds)])), rounds);
}

function describe(
  cases: readonly Case[],
  bytes: number,
  { rounds, seconds }: { rounds: number; seconds: number },
): string {
  const rows = cases.flatMap(({ name, results }) =>
    Object.entries(results).map(([server, loads]) => [
      name,
      server,
      whole(median(rates(loads))),
      median(costs(loads)).toFixed(1),
      server.startsWith('darkroom') && results.bare ? spread(ratios(rates(loads), rates(results.bare))) : '',
      server !== 'nginx' && results.nginx ? spread(ratios(costs(loads), costs(results.nginx))) : '',
    ]),
  );
  const of = (name: string, server: string) => cases.find((one) => one.name.startsWith(name))?.results[server] ?? [];
  const verdicts = ['hit, 16', 'hit, 64'].flatMap((name) =>
    ['darkroom', QUIET].flatMap((server) => {
      const speed = median(ratios(rates(of(name, server)), rates(of(name, 'bare'))));
      const cost = median(ratios(costs(of(name, server)), costs(of(name, 'nginx'))));
      return [
        verdict(
          `${name} connections, ${server}: requests per second in ratio to bare node:http`,
          speed,
          'at least',
          0.6,
        ),
        verdict(`${name} connections, ${server}: CPU per request in ratio to nginx`, cost, 'at most', 2.5),
      ];
    }),
  );
  const notFound = median(costs(of('404', 'darkroom'))) / 1000;
  return [
    `A cached WebP of ${whole(bytes)} bytes, answered by the service (\`node src/main.ts\`; its defaults but for the rate limit, which`,
    'is off, and again with `LOG_REQUESTS=errors`), by a bare `node:http` server with the same body and',
    'headers in memory, and by nginx with the same file and headers',
    '(one worker, `access_log off`, `sendfile`, `tcp_nopush`, `open_file_cache`). Server on CPU 0, wrk (one thread) on CPU 1;',
    `${rounds} rounds of ${seconds} s in alternation. CPU is that of the server's processes. Medians; ratios round by round, with their range.`,
    '',
    table(['request', 'server', 'requests/s', 'CPU us/request', 'requests/s : bare', 'CPU : nginx'], rows),
    '',
    ...verdicts,
    verdict('a 404 costs', notFound, 'at most', 1, ' ms'),
  ].join('\n');
}

function rates(loads: readonly LoadResult[]): number[] {
  return loads.map(({ rate }) => rate);
}

function costs(loads: readonly LoadResult[]): number[] {
  return loads.map(({ cpuMicroseconds }) => cpuMicroseconds);
}
