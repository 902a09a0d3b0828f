/**
 * A process with visitors of many addresses, each well below the rate limit: `visitors.ts PORT`. They ask for a cached picture every
 * 50 ms and for a new thumbnail every two seconds, until the parent says stop; then their latencies go to the parent.
 */
import { Agent, get } from 'node:http';
import { PHOTO } from './attacks.ts';

export interface Latencies {
  /** Milliseconds; a wait that was given up counts as one. */
  hits: { wave: string; ms: number }[];
  thumbnails: { wave: string; ms: number }[];
  /** Every answer that was not 200, and what it was. */
  failures: string[];
}

export const WARM = `/t/w_450,f_webp/${PHOTO}`;

const HIT_INTERVAL_MS = 50;
const THUMBNAIL_INTERVAL_MS = 2000;
const PATIENCE_MS = 30_000;
const ADDRESSES = 60;
/** Behind the stranger's in the same loopback network. */
const addressOf = (n: number) => `127.0.1.${1 + (n % ADDRESSES)}`;

if (import.meta.main) await visit(Number(process.argv[2]));

async function visit(port: number): Promise<void> {
  const latencies: Latencies = { hits: [], thumbnails: [], failures: [] };
  const agents = Array.from(
    { length: ADDRESSES },
    (_, n) => new Agent({ keepAlive: true, localAddress: addressOf(n) }),
  );
  let [asked, wave] = [0, 'before'];
  const ask = async (path: string, kind: 'hits' | 'thumbnails') => {
    const started = wave;
    const start = performance.now();
    const answer = await fetchOnce({ port, path, agent: agents[asked++ % ADDRESSES] });
    latencies[kind].push({ wave: started, ms: performance.now() - start });
    if (answer !== '200') latencies.failures.push(`${started}: ${path}: ${answer}`);
  };
  let thumbnails = 0;
  const timers = [
    setInterval(() => ask(WARM, 'hits'), HIT_INTERVAL_MS),
    setInterval(() => ask(`/t/w_${100 + thumbnails++},h_90,f_jpeg/${PHOTO}`, 'thumbnails'), THUMBNAIL_INTERVAL_MS),
  ];
  process.on('message', (said: { wave: string } | 'stop') => {
    if (said !== 'stop') {
      wave = said.wave;
      return;
    }
    for (const timer of timers) clearInterval(timer);
    process.send?.(latencies, () => process.exit());
  });
}

/** Like a browser, it tries again where a kept connection has just been closed. */
function fetchOnce({ port, path, agent }: { port: number; path: string; agent: Agent | undefined }): Promise<string> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const request = get({ host: '127.0.0.1', port, path, ...(agent && { agent }), signal }, (response) => {
      response.on('error', (error) => resolve(String(error))).on('end', () => resolve(String(response.statusCode)));
      response.resume();
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && error.code === 'ECONNRESET') resolve(fetchOnce({ port, path, agent }));
      else resolve(String(error));
    });
  });
}
