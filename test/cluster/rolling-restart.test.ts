import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeWithHaproxy, startHaproxy } from '../deploy/haproxy.ts';
import { ask, fixture } from '../http.ts';
import { freePort } from '../ports.ts';
import { describeOnPostgres, newDatabase } from '../postgres/database.ts';
import { type ServiceProcess, startServiceProcess } from '../process/service-process.ts';
import { describeOnS3, environmentOf, newBucket } from '../s3/bucket.ts';

const API_KEY = 'k'.repeat(40);
const CLIENTS = 6;
const PATIENCE = { timeout: 45_000 };

let folder: string;
let ports: [number, number];
let environment: Record<string, string>;
let nodes: ServiceProcess[];
let haproxy: Awaited<ReturnType<typeof startHaproxy>>;

const startNode = (n: 0 | 1) =>
  startServiceProcess({ ...environment, PORT: String(ports[n]), DATA_DIR: join(folder, String(n)) });

/** Removes retries, so that the proxy hides no failure. */
const withoutRetries = (text: string) =>
  text.replace(/^ *(retries|option redispatch|retry-on) ?.*$/gm, '').replace('mode http', 'mode http\n  retries 0');

describeOnPostgres('a rolling restart', () => {
  describeOnS3('of two nodes', async () => {
    await describeWithHaproxy('behind HAProxy without retries', (program) => {
      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), 'darkroom-rolling-'));
        const first = await freePort(2);
        ports = [first, first + 1];
        environment = {
          ...environmentOf(await newBucket()),
          DATABASE_URL: await newDatabase(),
          API_KEY,
          TRUSTED_PROXIES: '127.0.0.1',
          DRAIN_DELAY_MS: '5000',
          LOG_REQUESTS: 'all',
          RENDER_WORKERS: '1',
        };
        nodes = await Promise.all([startNode(0), startNode(1)]);
        haproxy = await startHaproxy(program, ports, withoutRetries);
        await vi.waitUntil(async () => (await statusOf('/health').catch(() => 0)) === 200, PATIENCE);
        await upload();
      });
      afterAll(async () => {
        await haproxy.close();
        await Promise.all(nodes.map((node) => node.end('SIGKILL')));
        await rm(folder, { recursive: true });
      });

      test('fails no request', async () => {
        const statuses = new Map<number, number>();
        let isOver = false;
        const clients = Array.from({ length: CLIENTS }, async (_, client) => {
          for (let n = 0; !isOver; n++) {
            const status = await statusOf(pathOf(client, n)).catch(() => 0);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        });
        for (const n of [0, 1] as const) {
          const stopped = nodes[n];
          expect(await stopped?.end('SIGTERM')).toEqual({ code: 0, signal: null });
          const started = await startNode(n);
          nodes[n] = started;
          await vi.waitUntil(() => started.stdout().includes('"url":"/t/'), PATIENCE);
        }
        isOver = true;
        await Promise.all(clients);
        expect([...statuses.keys()]).toEqual([200]);
        expect(statuses.get(200)).toBeGreaterThan(CLIENTS);
      });
    });
  });
});

/** Returns cached variants, originals, and periodically a cold one. */
function pathOf(client: number, n: number): string {
  if (n % 5 === 0) return `/t/photo-${n % 8}.png`;
  return n % 50 === 1 ? `/t/w_${20 + n},h_${20 + client},f_png/photo-${n % 8}.png` : `/t/w_20,f_png/photo-${n % 8}.png`;
}

async function statusOf(path: string): Promise<number> {
  return (await ask(haproxy.url, path, { agent: new http.Agent() })).status;
}

async function upload(): Promise<void> {
  const form = new FormData();
  for (let n = 0; n < 8; n++)
    form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), `photo-${n}.png`);
  const headers = { 'x-api-key': API_KEY };
  expect((await fetch(`${haproxy.url}/upload`, { method: 'POST', headers, body: form })).status).toBe(200);
}
