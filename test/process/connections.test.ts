import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { memoryOf } from '../processes.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const MEGABYTE = 1024 * 1024;

let data: string;
let service: ServiceProcess;
let idle: Socket[];
beforeEach(async () => {
  idle = [];
  data = await mkdtemp(join(tmpdir(), 'darkroom-connections-'));
});
afterEach(async () => {
  for (const socket of idle) socket.destroy();
  await service.end('SIGKILL');
  await rm(data, { recursive: true });
});

async function open(count: number): Promise<Socket[]> {
  const { port } = new URL(service.url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
  idle.push(...sockets);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

test('10,000 open connections that say nothing keep nobody out', async () => {
  service = await startServiceProcess({
    DATA_DIR: data,
    HEADERS_TIMEOUT_MS: '600000',
    MAX_CONNECTIONS_PER_ADDRESS: '20000',
  });
  // The maximum that the backlog of a listening socket holds.
  for (let batch = 0; batch < 25; batch++) await open(400);
  for (let n = 0; n < 20; n++) expect((await ask(service.url, '/readyz')).status).toBe(200);
  expect(idle.filter((socket) => socket.destroyed || socket.readableEnded)).toEqual([]);
});

test('30 connections that ask 5,000 times each and read nothing take neither memory nor open files', async () => {
  service = await startServiceProcess({ DATA_DIR: data });
  await mkdir(join(data, 'originals'), { recursive: true });
  await writeFile(join(data, 'originals', 'large.mp4'), Buffer.alloc(24 * MEGABYTE));
  const before = await memoryOf(service.pid);
  const requests = 'GET /t/large.mp4 HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(5000);
  const sockets = await open(30);
  await Promise.all(
    sockets.map((socket) => {
      socket.pause().write(requests);
      return new Promise((resolve) => socket.once('readable', resolve).once('close', resolve));
    }),
  );
  for (let n = 0; n < 20; n++) expect((await ask(service.url, '/livez')).status).toBe(200);
  // Each has its own state, and the file that it is sent.
  expect((await readdir(`/proc/${service.pid}/fd`)).length).toBeLessThan(200);
  // 150,000 requests take a gigabyte and more if all of them are answered.
  expect((await memoryOf(service.pid)).highest - before.now).toBeLessThan(250 * MEGABYTE);
});

test.skipIf(longestQueue() < 2000)(
  '2,000 connections that arrive while the service is busy are accepted later',
  async () => {
    service = await startServiceProcess({ DATA_DIR: data, MAX_CONNECTIONS_PER_ADDRESS: '4000' });
    service.child.kill('SIGSTOP');
    // The system connects as many clients as may wait for accept. Others would retry every second.
    const sockets = await open(2000);
    service.child.kill('SIGCONT');
    const last = sockets.at(-1) as Socket;
    last.write('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n');
    const [answer] = await once(last, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
  },
);

/** Returns the system's limit for waiting connections, which caps any backlog. */
function longestQueue(): number {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'));
  } catch {
    return 0;
  }
}

test('more connections than MAX_CONNECTIONS are not taken', async () => {
  service = await startServiceProcess({ DATA_DIR: data, HEADERS_TIMEOUT_MS: '600000', MAX_CONNECTIONS: '5' });
  const sockets = await open(5);
  const [sixth] = await open(1);
  if (sixth) await once(sixth.resume(), 'close');
  sockets[0]?.destroy();
  await expect
    .poll(() =>
      ask(service.url, '/livez').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
});
