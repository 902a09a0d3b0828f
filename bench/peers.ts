import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { installPackages } from '../test/packages.ts';
import { PHOTO } from './cached.ts';
import { behindNginx, darkroom, imageFilter, ipx, PEERS_FOLDER, type Peer, type StartPeer } from './peers/servers.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { KeepAliveConnection } from './tools/connection.ts';
import { cpuSeconds, memoryOfAll } from './tools/process.ts';
import { requirePrograms } from './tools/programs.ts';
import { median, ratios, spread, table, timed, whole } from './tools/report.ts';
import { loadWith } from './tools/wrk.ts';

const CONTESTANTS: Readonly<Record<string, StartPeer>> = {
  Darkroom: darkroom,
  ipx: ipx,
  'ipx behind nginx `proxy_cache`': behindNginx(ipx),
  'nginx `image_filter`': imageFilter,
  'nginx `image_filter` behind `proxy_cache`': behindNginx(imageFilter),
};
const OURS = 'Darkroom';

const IMAGE_FILTER = '/usr/lib/nginx/modules/ngx_http_image_filter_module.so';
const CLIENTS = 8;
const CONNECTIONS = 16;
const FIRST_WIDTH = 640;
/** Until V8 has compiled the code of a hit. */
const WARM_UP_SECONDS = 2;
const SERVER_CPU = 0;
const CLIENT_CPU = 1;

interface Figures {
  /** Milliseconds from the start of the process until it has sent its first image. */
  start: number;
  /** Memory in MB after the first image, and after all new ones. */
  idle: number;
  busy: number;
  /** New images per second, and CPU ms for each. */
  cold: number;
  coldCpu: number;
  /** Requests per second for the same image, and CPU us for each. */
  hits: number;
  hitCpu: number;
}

export const peers: Benchmark = {
  name: 'peers',
  about: 'other image servers in the same run',
  async run({ quick }) {
    requirePrograms('wrk', 'nginx', 'taskset');
    requireImageFilter();
    await installPackages(PEERS_FOLDER);
    const rounds = quick ? 1 : 5;
    const results: Record<string, Figures[]> = {};
    for (let round = 0; round < rounds; round++) {
      const names = Object.keys(CONTESTANTS);
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const figures = await measure(CONTESTANTS[name] as StartPeer, quick);
        results[name] = [...(results[name] ?? []), figures];
      }
      process.stderr.write(`  round ${round + 1}\n`);
    }
    return describe(results, rounds);
  },
};

async function measure(startPeer: StartPeer, quick: boolean): Promise<Figures> {
  const alone = await withPeer(startPeer, undefined, async (peer, start) => {
    const idle = memory(peer);
    const widths = Array.from({ length: quick ? CLIENTS : 48 }, (_, index) => FIRST_WIDTH + 1 + index);
    const before = cpu(peer);
    const milliseconds = await timed(() => render(peer, widths));
    const coldCpu = ((cpu(peer) - before) * 1000) / widths.length;
    return { start, idle, cold: (widths.length / milliseconds) * 1000, coldCpu, busy: memory(peer) };
  });
  return withPeer(startPeer, SERVER_CPU, async (peer) => {
    const url = peer.urlOf(FIRST_WIDTH);
    const load = { url, pid: peer.pids[0] ?? 0, connections: CONNECTIONS, cpu: CLIENT_CPU };
    await loadWith({ ...load, seconds: quick ? 1 : WARM_UP_SECONDS });
    const before = cpu(peer);
    const { rate, requests } = await loadWith({ ...load, seconds: quick ? 1 : 5 });
    return { ...alone, hits: rate, hitCpu: ((cpu(peer) - before) / requests) * 1e6 };
  });
}

/** Starts a server with its own data, waits for its first image, and stops it afterwards. */
async function withPeer<Result>(
  startPeer: StartPeer,
  cpuNumber: number | undefined,
  work: (peer: Peer, startMs: number) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-peers-'));
  await mkdir(join(folder, 'originals'));
  await copyFile(PHOTO, join(folder, 'originals', 'photo.jpg'));
  const begun = performance.now();
  const peer = await startPeer(folder, cpuNumber);
  try {
    await untilAnswering(peer.urlOf(FIRST_WIDTH));
    return await work(peer, performance.now() - begun);
  } finally {
    await peer.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function untilAnswering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await setTimeout(10);
  }
  throw new Error(`${url} does not answer.`);
}

async function render(peer: Peer, widths: readonly number[]): Promise<void> {
  const left = [...widths];
  const client = async () => {
    const connection = await KeepAliveConnection.open(peer.urlOf(FIRST_WIDTH));
    for (let width = left.pop(); width !== undefined; width = left.pop()) {
      const { head, size } = await connection.get(new URL(peer.urlOf(width)).pathname);
      if (!head.startsWith('http/1.1 200') || !(size > 0)) throw new Error(`Expected 200, received ${head}.`);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

const cpu = ({ pids }: Peer) => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
const memory = ({ pids }: Peer) => pids.reduce((sum, pid) => sum + memoryOfAll(pid), 0);

function requireImageFilter(): void {
  const name = 'libnginx-mod-http-image-filter';
  if (!existsSync(IMAGE_FILTER) && process.getuid?.() === 0) {
    spawnSync('apt-get', ['-qq', 'install', '-y', '--no-install-recommends', name], { stdio: 'ignore' });
  }
  if (!existsSync(IMAGE_FILTER)) throw new Error(`Missing: ${name}. Debian, Ubuntu: sudo apt-get install ${name}`);
}

function describe(results: Readonly<Record<string, Figures[]>>, rounds: number): string {
  const all = (name: string, figure: keyof Figures) => (results[name] ?? []).map((figures) => figures[figure]);
  const rows = Object.keys(results).map((name) => {
    const middle = (figure: keyof Figures) => median(all(name, figure));
    const toOurs = (figure: keyof Figures) => spread(ratios(all(name, figure), all(OURS, figure)));
    return [
      name,
      whole(middle('hits')),
      middle('hitCpu').toFixed(0),
      toOurs('hitCpu'),
      middle('cold').toFixed(1),
      middle('coldCpu').toFixed(0),
      toOurs('coldCpu'),
      whole(middle('start')),
      whole(middle('idle')),
      whole(middle('busy')),
    ];
  });
  const head = ['server', 'hits/s', 'CPU us/hit', ': Darkroom', 'new/s', 'CPU ms/new', ': Darkroom'];
  return [
    'A JPEG of 6 MP as a JPEG of 640 pixels and wider, quality 85, from servers with the documented configuration, each with its own',
    'folder and new processes. Hits: the same image, 16 connections, server on one CPU, wrk on the other. New: another width for each',
    `request, ${CLIENTS} clients. Start: from the start of the process to its first image, in ms. Memory: proportional set size of all its`,
    `processes in MB, after the first image and after the new ones. Medians of ${rounds} alternating rounds; ratios round by round, with range.`,
    'ipx and `image_filter` have no cache and render every hit; behind the cache of nginx, only the first.',
    '',
    table([...head, 'start', 'memory', 'after new'], rows),
  ].join('\n');
}
