import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/ports.ts';
import { killOnExit } from '../tools/process.ts';
import { startDarkroom } from '../tools/service.ts';

/** A running image server. */
export interface Peer {
  /** All processes whose CPU time and memory count. */
  pids: number[];
  /** URL of `photo.jpg` as a JPEG of this width. */
  urlOf(width: number): string;
  stop(): Promise<void>;
}

/**
 * Starts a server that delivers `originals/photo.jpg` of a folder.
 * @param cpu the only CPU that it may use; default: all
 */
export type StartPeer = (folder: string, cpu?: number) => Promise<Peer>;

export const PEERS_FOLDER = fileURLToPath(new URL('./', import.meta.url));

/** Darkroom, with its default settings but no rate limit. */
export const darkroom: StartPeer = async (folder, cpu) => {
  const service = await startDarkroom(cpu === undefined ? { data: folder } : { data: folder, cpu });
  return { pids: [service.pid], urlOf: (width) => `${service.url}/t/w_${width},f_jpeg/photo.jpg`, stop: service.stop };
};

/** Renders every request: it has no cache. */
export const ipx: StartPeer = async (folder, cpu) => {
  const child = start(cpu, process.execPath, join(PEERS_FOLDER, 'ipx.mjs'), join(folder, 'originals'));
  const stop = killOnExit(child);
  const [port] = await once(child.stdout ?? child, 'data');
  const url = `http://127.0.0.1:${String(port).trim()}`;
  return { pids: [child.pid ?? 0], urlOf: (width) => `${url}/w_${width},q_85,f_jpeg/photo.jpg`, stop };
};

/** Debian's module of nginx. Renders every request: it has no cache. */
export const imageFilter: StartPeer = (folder, cpu) =>
  startNginx(cpu, () => [
    `location ~ "^/(?<width>[0-9]+)/(?<file>[a-z.]+)$" {
      alias ${folder}/originals/$file;
      image_filter resize $width -;
      image_filter_buffer 50M;
      image_filter_jpeg_quality 85;
    }`,
  ]);

/** A peer behind the cache of nginx, which its documentation recommends. */
export function behindNginx(startPeer: StartPeer): StartPeer {
  return async (folder, cpu) => {
    const peer = await startPeer(folder, cpu);
    const { origin } = new URL(peer.urlOf(1));
    const front = await startNginx(cpu, (own) => [
      `location / {
        proxy_pass ${origin};
        proxy_http_version 1.1;
        proxy_cache variants;
        proxy_cache_valid 200 1h;
        proxy_cache_lock on;
        proxy_ignore_headers Cache-Control Expires;
      }`,
      `proxy_cache_path ${own}/cache keys_zone=variants:10m;`,
    ]);
    const urlOf = (width: number) => front.urlOf(0).replace(/\/0\/photo\.jpg$/, new URL(peer.urlOf(width)).pathname);
    const stop = async () => {
      await front.stop();
      await peer.stop();
    };
    return { pids: [...front.pids, ...peer.pids], urlOf, stop };
  };
}

/** @param configure returns the locations of the server, and directives outside it, from the folder of this nginx */
async function startNginx(
  cpu: number | undefined,
  configure: (folder: string) => [location: string, outside?: string],
): Promise<Peer> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-peer-'));
  const port = await freePort();
  const [location, outside = ''] = configure(folder);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder};`);
  await writeFile(
    join(folder, 'nginx.conf'),
    `load_module /usr/lib/nginx/modules/ngx_http_image_filter_module.so;
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes ${cpu === undefined ? 'auto' : 1};
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 1024; }
http {
  types { image/jpeg jpg; }
  access_log ${folder}/access.log;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  ${temporary.join('\n  ')}
  ${outside}
  server {
    listen 127.0.0.1:${port};
    ${location}
  }
}
`,
  );
  const child = start(cpu, 'nginx', '-p', folder, '-c', 'nginx.conf', '-e', 'error.log');
  const end = killOnExit(child);
  const stop = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  return { pids: [child.pid ?? 0], urlOf: (width) => `http://127.0.0.1:${port}/${width}/photo.jpg`, stop };
}

function start(cpu: number | undefined, program: string, ...args: string[]): ChildProcess {
  const pinned = cpu === undefined ? [program, ...args] : ['taskset', '-c', String(cpu), program, ...args];
  const [command = '', ...rest] = pinned;
  return spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
}
