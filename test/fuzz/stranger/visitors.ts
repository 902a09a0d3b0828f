/**
 * A process with visitors from many addresses, each well below the rate limit: `visitors.ts PORT KEY`. They request a
 * cached image every 50 ms and a new thumbnail every two seconds, and an editor works with the key, until the parent
 * sends stop; then their latencies go to the parent.
 */
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { PHOTO } from './attacks.ts';
import { startKeyedVisitor } from './keyed-visitor.ts';

export interface Latencies {
  /** Milliseconds; a timeout counts as one entry. */
  hits: { wave: string; ms: number }[];
  thumbnails: { wave: string; ms: number }[];
  /** Requests with the API key. */
  keyed: { wave: string; ms: number }[];
  /** Every response other than 200, described. */
  failures: string[];
}

export const WARM = `/t/w_450,f_webp/${PHOTO}`;

const HIT_INTERVAL_MS = 50;
const THUMBNAIL_INTERVAL_MS = 2000;
const TIMEOUT_MS = 30_000;
const ADDRESSES = 60;
/** After the attacker's address in the same loopback network. */
const addressOf = (n: number) => `127.0.1.${1 + (n % ADDRESSES)}`;

if (import.meta.main) await visit(Number(process.argv[2]), process.argv[3] ?? '');

async function visit(port: number, key: string): Promise<void> {
  const latencies: Latencies = { hits: [], thumbnails: [], keyed: [], failures: [] };
  const agents = Array.from(
    { length: ADDRESSES },
    (_, n) => new Agent({ keepAlive: true, localAddress: addressOf(n) }),
  );
  let asked = 0;
  let wave = 'before';
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
  const image = await readFile(new URL('../../fixtures/concert.jpg', import.meta.url));
  const stopKeyed = startKeyedVisitor(port, key, image, (name, ms, failure) => {
    latencies.keyed.push({ wave, ms });
    if (failure) latencies.failures.push(`${wave}: ${name} with the key: ${failure}`);
  });
  process.on('message', (said: { wave: string } | 'stop') => {
    if (said !== 'stop') {
      wave = said.wave;
      return;
    }
    for (const timer of timers) clearInterval(timer);
    stopKeyed();
    process.send?.(latencies, () => process.exit());
  });
}

/** Retries like a browser if an idle connection was just closed. */
function fetchOnce({ port, path, agent }: { port: number; path: string; agent: Agent | undefined }): Promise<string> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
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
