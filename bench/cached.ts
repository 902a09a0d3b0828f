import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBareHttp, startNginx } from './cached/servers.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { requirePrograms } from './tools/programs.ts';
import { median, ratios, spread, table, verdict, whole } from './tools/report.ts';
import { type Darkroom, startDarkroom, warm } from './tools/service.ts';
import { type Load, type LoadResult, loadWith } from './tools/wrk.ts';

export const PHOTO = new URL('../test/fixtures/photo-2725x2225.jpg', import.meta.url);
/** About 30 KB. */
export const VARIANT = '/t/w_450,f_webp/photo.jpg';
export const NEGOTIATED = '/t/w_600/photo.jpg';
/** As many variants of about that size. */
const FILES = Array.from({ length: 100 }, (_, index) => `/t/w_${400 + index},f_webp/photo.jpg`);
const MISSING = '/t/w_450,f_webp/missing.jpg';

export const BROWSER = {
  Accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'en-GB,en;q=0.9',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  Referer: 'https://www.example.com/gallery/summer?page=3',
  'Sec-Fetch-Dest': 'image',
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Site': 'cross-site',
};

// By default, Darkroom and nginx write a log line per request. The others write none.
const QUIET = 'darkroom, no request log';
const LOGGING_NGINX = 'nginx, access log';

/** Until V8 has compiled the code of a hit. */
const WARM_UP_SECONDS = 2;

const SERVER_CPU = 0;
const CLIENT_CPU = 1;

/** Results of all rounds by server. */
type Results = Record<string, LoadResult[]>;

interface Case {
  name: string;
  results: Results;
}

/** One server with the request that it gets. */
type Contestant = Pick<Load, 'url' | 'paths' | 'headers' | 'pid' | 'expectErrors'>;

/** A kind of request, and the servers that are compared for it. */
interface Scenario {
  name: string;
  connections: number;
  contestants: Record<string, Contestant>;
}

export const cached: Benchmark = {
  name: 'cached',
  about: 'cached hits next to nginx and bare `node:http`',
  async run({ quick }) {
    requirePrograms('wrk', 'nginx', 'taskset');
    const rounds = quick ? 2 : 5;
    const seconds = quick ? 1 : 3;
    const cases: Case[] = [];
    let size = 0;
    for (let round = 0; round < rounds; round++) {
      // New processes in each round, because V8 optimizes the same code differently from one process to the next.
      const servers = await startAll();
      size = servers.answer.bytes.length;
      for (const { name, connections, contestants } of await createScenarios(servers)) {
        const measured = cases.find((each) => each.name === name) ?? { name, results: {} };
        if (!cases.includes(measured)) cases.push(measured);
        for (const [server, contestant] of Object.entries(contestants)) {
          const load = { ...contestant, connections, cpu: CLIENT_CPU };
          await loadWith({ ...load, seconds: quick ? 1 : WARM_UP_SECONDS });
          const results = measured.results[server] ?? [];
          measured.results[server] = [...results, await loadWith({ ...load, seconds })];
        }
      }
      await servers.stop();
      process.stderr.write(`  round ${round + 1}\n`);
    }
    return describe(cases, size, { rounds, seconds });
  },
};

async function startAll() {
  const data = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  const start = (environment: Record<string, string> = {}) => startDarkroom({ cpu: SERVER_CPU, data, environment });
  const darkroom = await start();
  await darkroom.upload('photo.jpg', await readFile(PHOTO));
  const quiet = await start({ LOG_REQUESTS: 'errors' });
  const counting = await start({ PUBLIC_RATE_LIMIT_MAX: '1000000000' });
  const reading = await start({ CACHE_MEMORY_MB: '0' });
  for (const { url } of [darkroom, quiet, counting, reading]) await warm(url + VARIANT);
  for (const file of FILES) await warm(reading.url + file);
  await warm(darkroom.url + NEGOTIATED, BROWSER);
  // Again, because only the second hit takes the fast path.
  const answer = await warm(darkroom.url + VARIANT);
  const bare = await startBareHttp(answer, SERVER_CPU);
  const nginx = await startNginx(answer, SERVER_CPU);
  const logging = await startNginx(answer, SERVER_CPU, { log: true });
  const all = { darkroom, quiet, counting, reading, bare, nginx, logging };
  const stop = async () => {
    await Promise.all(Object.values(all).map((server) => server.stop()));
    await rm(data, { recursive: true, force: true });
  };
  return { ...all, answer, stop };
}

async function createScenarios({
  darkroom,
  quiet,
  counting,
  reading,
  bare,
  nginx,
  logging,
}: Awaited<ReturnType<typeof startAll>>): Promise<Scenario[]> {
  const variant = ({ url, pid }: Darkroom): Contestant => ({ url: url + VARIANT, pid });
  const plain = {
    darkroom: variant(darkroom),
    [LOGGING_NGINX]: logging,
    [QUIET]: variant(quiet),
    nginx,
    bare,
  };
  const browser = {
    darkroom: { url: darkroom.url + NEGOTIATED, pid: darkroom.pid, headers: BROWSER },
    bare: { ...bare, headers: BROWSER },
    [LOGGING_NGINX]: { ...logging, headers: BROWSER },
  };
  const revalidation = {
    darkroom: await revalidating(variant(darkroom)),
    [LOGGING_NGINX]: await revalidating(logging),
  };
  const missing = {
    darkroom: { url: darkroom.url + MISSING, pid: darkroom.pid, expectErrors: true },
    [LOGGING_NGINX]: { ...logging, url: logging.url.replace('photo', 'missing'), expectErrors: true },
  };
  const counted = { darkroom: variant(counting), [LOGGING_NGINX]: logging };
  const read = { darkroom: variant(reading), [LOGGING_NGINX]: logging };
  const readAll = { darkroom: { ...variant(reading), paths: FILES }, [LOGGING_NGINX]: logging };
  return [
    { name: 'hit, 16 connections', connections: 16, contestants: plain },
    { name: 'hit, 64 connections', connections: 64, contestants: plain },
    { name: "hit, a browser's headers, negotiated, 16", connections: 16, contestants: browser },
    { name: '304, 16', connections: 16, contestants: revalidation },
    { name: '404, 16', connections: 16, contestants: missing },
    { name: 'hit, each request counted by the rate limit, 16', connections: 16, contestants: counted },
    { name: 'hit read from the disk tier, 16', connections: 16, contestants: read },
    { name: `${FILES.length} files read in turn, 16`, connections: 16, contestants: readAll },
  ];
}

async function revalidating({ url, pid }: Contestant): Promise<Contestant> {
  const headers = { 'If-None-Match': (await fetch(url)).headers.get('etag') ?? '' };
  const { status } = await fetch(url, { headers });
  if (status !== 304) throw new Error(`Expected 304 of ${url}, received ${status}.`);
  return { url, pid, headers };
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
      toNginx(server, loads, results),
    ]),
  );
  const of = (name: string, server: string) => cases.find((each) => each.name.startsWith(name))?.results[server] ?? [];
  const verdicts = ['hit, 16', 'hit, 64'].flatMap((name) =>
    ['darkroom', QUIET].flatMap((server) => {
      const speed = median(ratios(rates(of(name, server)), rates(of(name, 'bare'))));
      const cost = median(ratios(costs(of(name, server)), costs(of(name, counterpart(server)))));
      return [
        verdict(
          `${name} connections, ${server}: requests per second in ratio to bare node:http`,
          speed,
          'at least',
          0.6,
        ),
        verdict(
          `${name} connections, ${server}: CPU per request in ratio to ${counterpart(server)}`,
          cost,
          'at most',
          2.5,
        ),
      ];
    }),
  );
  const toLoggingNginx = (name: string) => median(ratios(costs(of(name, 'darkroom')), costs(of(name, LOGGING_NGINX))));
  return [
    `A cached WebP of ${whole(bytes)} bytes from three servers:`,
    '',
    '- the service (`node src/main.ts`) with default settings but no rate limit, and again with `LOG_REQUESTS=errors`;',
    '- a bare `node:http` server with the same body and headers in memory;',
    '- nginx with the same file and headers (one worker, `sendfile`, `tcp_nopush`, `open_file_cache`), with its access log and without.',
    '',
    'Logs go to files. Servers run on CPU 0, wrk (one thread) on CPU 1.',
    `${rounds} alternating rounds of ${seconds} s, each with new processes. CPU is that of the server processes. Medians; ratios round by round, with range.`,
    '',
    table(['request', 'server', 'requests/s', 'CPU us/request', 'requests/s : bare', 'CPU : nginx'], rows),
    '',
    ...verdicts,
    verdict('a 304: CPU in ratio to nginx, access log', toLoggingNginx('304'), 'at most', 1.5),
    verdict('a 404: CPU us', median(costs(of('404', 'darkroom'))), 'at most', 30),
    verdict('a hit from the disk tier: CPU in ratio to nginx, access log', toLoggingNginx('hit read'), 'at most', 5),
    verdict('many files from the disk tier: the same', toLoggingNginx(`${FILES.length} files`), 'at most', 5),
  ].join('\n');
}

/** nginx logs if the service does. */
function counterpart(server: string): string {
  return server === 'darkroom' ? LOGGING_NGINX : 'nginx';
}

function toNginx(server: string, loads: readonly LoadResult[], results: Results): string {
  const other = results[counterpart(server)];
  return other && !server.startsWith('nginx') ? spread(ratios(costs(loads), costs(other))) : '';
}

function rates(loads: readonly LoadResult[]): number[] {
  return loads.map(({ rate }) => rate);
}

function costs(loads: readonly LoadResult[]): number[] {
  return loads.map(({ cpuMicroseconds }) => cpuMicroseconds);
}
