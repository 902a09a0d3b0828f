import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/ports.ts';
import { VARIANT } from '../cached.ts';
import { killOnExit } from '../tools/process.ts';
import { table, verdict, whole } from '../tools/report.ts';
import { type Darkroom, warm } from '../tools/service.ts';
import type { Site } from './nodes.ts';

const NODES = 3;
const CLIENTS = 8;
/** Longer than the load balancer needs to detect that a node is not ready. */
const DRAIN_DELAY_MS = '2500';

/** Restarts every node, one after another, behind HAProxy without retries. */
export async function measureRestart(site: Site, photo: Buffer, quick: boolean): Promise<string[]> {
  const first = await freePort(NODES + 1);
  const options = (n: number) => ({ environment: { PORT: String(first + n), DRAIN_DELAY_MS } });
  const nodes = await site.startNodes(1, options(0));
  while (nodes.length < NODES) nodes.push(await site.startNode(options(nodes.length)));
  await nodes[0]?.upload('photo.jpg', photo);
  const front = await startBalancer(first + NODES, nodes);
  for (const { url } of [...nodes, front]) await warm(url + VARIANT);
  const load = startLoad(front.url + VARIANT);
  for (const [n, node] of nodes.entries()) {
    await load.atLeast(quick ? 100 : 2000);
    await node.stop();
    nodes[n] = await site.startNode(options(n));
    await warm(`${nodes[n].url}${VARIANT}`);
    await untilReady(front.url, n);
  }
  await load.atLeast(quick ? 100 : 2000);
  const { answered, failed } = await load.stop();
  await front.stop();
  for (const { stop } of nodes) await stop();
  return [
    '### A rolling restart',
    '',
    `${NODES} nodes behind HAProxy (checks of 500 ms, \`fall 2\`, no retries), restarted one after another with \`DRAIN_DELAY_MS=${DRAIN_DELAY_MS}\`; ${CLIENTS} clients without a pause.`,
    '',
    table(['', 'answered', 'failed'], [['requests', whole(answered), whole(failed)]]),
    '',
    verdict('failed requests of a rolling restart', failed, 'exactly', 0),
  ];
}

interface Balancer {
  url: string;
  stop(): Promise<void>;
}

async function startBalancer(port: number, nodes: readonly Darkroom[]): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const servers = nodes.map(({ url }, n) => `  server node${n} ${new URL(url).host} check inter 500 fall 2 rise 1`);
  await writeFile(
    file,
    [
      'defaults',
      '  mode http',
      '  timeout connect 5s',
      '  timeout client 60s',
      '  timeout server 60s',
      '  timeout check 5s',
      '  retries 0',
      'frontend in',
      `  bind 127.0.0.1:${port}`,
      '  http-request return status 200 hdr X-Ready "%[srv_is_up(nodes/node0)]%[srv_is_up(nodes/node1)]%[srv_is_up(nodes/node2)]" if { path /state }',
      '  default_backend nodes',
      'backend nodes',
      '  balance roundrobin',
      '  option httpchk GET /readyz',
      ...servers,
      '',
    ].join('\n'),
  );
  const child: ChildProcess = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'inherit', 'inherit'] });
  const end = killOnExit(child);
  const url = `http://127.0.0.1:${port}`;
  while (!(await isAnswering(`${url}/state`))) await wait(50);
  return {
    url,
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const isAnswering = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** Waits until the load balancer uses the node. */
async function untilReady(url: string, n: number): Promise<void> {
  for (;;) {
    const { headers } = await fetch(`${url}/state`);
    if (headers.get('x-ready')?.[n] === '1') return;
    await wait(50);
  }
}

/** Starts clients that send requests without a pause over keep-alive connections. */
function startLoad(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  let answered = 0;
  let failed = 0;
  let isOver = false;
  const send = () =>
    new Promise<boolean>((resolve) => {
      const request = get(url, { agent }, (response) => {
        response.resume();
        response.once('close', () => resolve(response.statusCode === 200 && response.complete));
      });
      request.once('error', () => resolve(false));
    });
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      if (await send()) answered++;
      else failed++;
    }
  });
  return {
    /** Waits for `count` more requests. */
    async atLeast(count: number): Promise<void> {
      const before = answered + failed;
      while (answered + failed < before + count) await wait(50);
    },
    async stop() {
      isOver = true;
      await Promise.all(clients);
      agent.destroy();
      return { answered, failed };
    },
  };
}
