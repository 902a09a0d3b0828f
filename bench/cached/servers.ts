import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/ports.ts';
import { killOnExit } from '../tools/process.ts';

/** Server to compare with: serves fixed bytes at one URL. */
export interface Server {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export interface Answer {
  bytes: Buffer;
  headers: Headers;
}

/** Set by node:http and nginx themselves. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

const BARE = fileURLToPath(new URL('./bare-http.ts', import.meta.url));

/** Starts node:http with the body in memory. */
export async function startBareHttp({ bytes, headers }: Answer, cpu: number): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-bare-'));
  const file = join(folder, 'body');
  await writeFile(file, bytes);
  const flat = [...headers].filter(([name]) => !OWN_HEADERS.includes(name)).flat();
  const child = spawn('taskset', ['-c', String(cpu), process.execPath, BARE, file, JSON.stringify(flat)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = killOnExit(child);
  const [port] = await once(child.stdout, 'data');
  const stop = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${String(port).trim()}/`, pid: child.pid ?? 0, stop };
}

/** Starts nginx with the file on disk, configured for speed. */
export async function startNginx(
  { bytes, headers }: Answer,
  cpu: number,
  { log = false }: { log?: boolean } = {},
): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-nginx-'));
  await writeFile(join(folder, 'photo.webp'), bytes);
  const port = await freePort();
  await writeFile(join(folder, 'nginx.conf'), configuration(folder, port, headers, log));
  const args = ['-c', String(cpu), 'nginx', '-p', folder, '-c', 'nginx.conf', '-e', 'error.log'];
  const child = spawn('taskset', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const url = `http://127.0.0.1:${port}/photo.webp`;
  const end = killOnExit(child);
  await untilAnswering(url);
  const stop = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  return { url, pid: child.pid ?? 0, stop };
}

function configuration(folder: string, port: number, headers: Headers, log: boolean): string {
  // nginx derives these from the file.
  const own = [...OWN_HEADERS, 'content-length', 'content-type', 'etag', 'last-modified', 'accept-ranges'];
  const others = [...headers].filter(([name]) => !own.includes(name));
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 1024; }
http {
  types { image/webp webp; }
  access_log ${log ? `${folder}/access.log` : 'off'};
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=1000 inactive=600s;
  open_file_cache_valid 600s;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    root ${folder};
    ${others.map(([name, value]) => `add_header ${name} "${value}";`).join('\n    ')}
  }
}
`;
}

async function untilAnswering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer.`);
}
