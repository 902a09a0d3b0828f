import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { V8_OPTIONS } from '../../scripts/v8-options.mjs';
import { killOnExit } from './process.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const STALL_PROBE = new URL('./stall-probe.ts', import.meta.url).href;
/** The key of the operator, with all permissions. */
export const API_KEY = 'bench-key-0123456789-0123456789-0123456789';
export const AUTHORIZATION = { authorization: `Bearer ${API_KEY}` };

/** The service in its own process, as an operator runs it. */
export interface Darkroom {
  /** `http://127.0.0.1:port` */
  url: string;
  pid: number;
  /** Folder of the originals. */
  originals: string;
  upload(name: string, bytes: Uint8Array): Promise<void>;
  /** Returns the longest stall of the event loop since the last call, in ms. Needs `isProbed`. */
  longestStall(): Promise<number>;
  stop(): Promise<void>;
}

export interface DarkroomOptions {
  environment?: Record<string, string>;
  /** Pins the service and its workers to one CPU. */
  cpu?: number;
  /** Existing data folder. Default: a new folder, which is deleted afterwards. */
  data?: string;
  /** `main.ts` of another version. */
  main?: string;
  /** Measures stalls of its event loop. */
  isProbed?: boolean;
}

export async function startDarkroom({
  environment = {},
  cpu,
  data,
  main = MAIN,
  isProbed = false,
}: DarkroomOptions = {}): Promise<Darkroom> {
  const folder = data ?? (await mkdtemp(join(tmpdir(), 'darkroom-bench-')));
  const probe = isProbed ? ['--import', STALL_PROBE] : [];
  const command = [process.execPath, ...V8_OPTIONS, ...probe, main];
  const [program = '', ...args] = cpu === undefined ? command : ['taskset', '-c', String(cpu), ...command];
  const settings = {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: folder,
    API_KEY,
    PUBLIC_RATE_LIMIT_MAX: '0',
    ...environment,
  };
  // To a file, because reading a pipe would cost the service CPU or block it.
  const log = join(await mkdtemp(join(tmpdir(), 'darkroom-log-')), 'service.log');
  await using output = await open(log, 'w');
  const env = { ...process.env, ...settings };
  const child = spawn(program, args, { env, stdio: ['ignore', output.fd, 'inherit', isProbed ? 'ipc' : 'ignore'] });
  const end = killOnExit(child);
  const url = await announcedUrl(child, log);
  return {
    url,
    pid: child.pid ?? 0,
    originals: join(folder, 'originals'),
    async upload(name, bytes) {
      const form = new FormData();
      form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
      const response = await fetch(`${url}/upload`, { method: 'POST', headers: AUTHORIZATION, body: form });
      if (response.status !== 200) throw new Error(`Upload of ${name}: ${response.status} ${await response.text()}`);
    },
    async longestStall() {
      const answer = once(child, 'message');
      child.send('longest stall');
      const [stallMs] = await answer;
      return stallMs;
    },
    async stop() {
      await end();
      await rm(dirname(log), { recursive: true, force: true });
      if (data === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Requests a variant until it is a cache hit. @returns its headers and bytes */
export async function warm(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ headers: Headers; bytes: Buffer }> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const response = await fetch(url, { headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) throw new Error(`${url}: ${response.status} ${bytes}`);
    if (response.headers.get('x-cache') === 'hit') return { headers: response.headers, bytes };
  }
  throw new Error(`${url} is no cache hit after 10 requests.`);
}

async function announcedUrl(child: ChildProcess, log: string): Promise<string> {
  while (child.exitCode === null && child.signalCode === null) {
    const port = /ready at http:\/\/localhost:(\d+)/.exec(await readFile(log, 'utf8'))?.[1];
    if (port) return `http://127.0.0.1:${port}`;
    await setTimeout(20);
  }
  throw new Error(`The service ended before it was ready: exit code ${child.exitCode}.`);
}
