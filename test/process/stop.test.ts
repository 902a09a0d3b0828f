import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ask, fixture } from '../http.ts';
import { childrenOf, isAlive } from '../processes.ts';
import { startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);
/** Only the requests themselves may end: a test that waits for the deadline fails. */
const NO_DEADLINE = { SHUTDOWN_TIMEOUT_MS: '3600000', API_KEY };

let data: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-process-'));
  await mkdir(join(data, 'originals'));
  await writeFile(join(data, 'originals', 'photo.jpg'), fixture('photo-2725x2225.jpg'));
});
afterAll(() => rm(data, { recursive: true, force: true }));

async function isRefused(url: string): Promise<boolean> {
  return ask(url, '/health', { agent: new http.Agent() }).then(
    () => false,
    (error) => error.code === 'ECONNREFUSED',
  );
}

test('SIGTERM: a render and an upload in flight finish, new connections are refused, idle ones are closed, exit 0', async () => {
  const service = await startServiceProcess({ ...NO_DEADLINE, DATA_DIR: data });
  const workers = await vi.waitUntil(async () => {
    const children = await childrenOf(service.pid);
    return children.length > 0 && children;
  }, 10_000);
  const agent = new http.Agent({ keepAlive: true });
  await ask(service.url, '/health', { agent });
  const render = http.get(`${service.url}/t/w_2000,f_avif/photo.jpg`, { agent });
  const headers = { 'x-api-key': API_KEY, 'content-type': 'multipart/form-data; boundary=x' };
  const upload = http.request(`${service.url}/upload`, { method: 'POST', headers, agent });
  upload.write('--x\r\nContent-Disposition: form-data; name="files"; filename="late.png"\r\n\r\n');
  upload.write(fixture('flag-alpha.png'));
  const answers = Promise.all([once(render, 'response'), once(upload, 'response')]);
  // Earlier data has arrived once a later request over a new connection is answered.
  await ask(service.url, '/health', { agent: new http.Agent() });
  service.child.kill('SIGTERM');
  await vi.waitUntil(() => isRefused(service.url), { timeout: 10_000 });
  upload.end('\r\n--x--\r\n');
  const [[rendered], [uploaded]] = (await answers) as [[http.IncomingMessage], [http.IncomingMessage]];
  expect([rendered.statusCode, rendered.headers['content-type']]).toEqual([200, 'image/avif']);
  expect((await buffer(rendered)).length).toBe(Number(rendered.headers['content-length']));
  expect(uploaded.statusCode).toBe(200);
  uploaded.resume();
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(service.stderr()).toBe('');
  for (const pid of workers) expect(await isAlive(pid)).toBe(false);
  agent.destroy();
});

test('SIGTERM: /readyz says no to a balancer that still asks over an open connection', async () => {
  const service = await startServiceProcess({ ...NO_DEADLINE, DATA_DIR: data });
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  // Data sent with an answered request has been read: the second one is in progress when the service is told to stop.
  socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n');
  await vi.waitUntil(() => heard.includes('"status":"ready"'), { timeout: 10_000 });
  service.child.kill('SIGTERM');
  await vi.waitUntil(() => isRefused(service.url), { timeout: 10_000 });
  socket.write('\r\n');
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(heard.split('HTTP/1.1 ')[2]).toMatch(/^503 /);
  expect(heard).toContain('"message":"The service is stopping."');
});

test('SIGTERM with a DRAIN_DELAY_MS: until it is over only /readyz says no, and every answer closes its connection', async () => {
  const service = await startServiceProcess({ ...NO_DEADLINE, DATA_DIR: data, DRAIN_DELAY_MS: '3600000' });
  const agent = new http.Agent({ keepAlive: true });
  const hit = '/t/w_20,f_png/photo.jpg';
  for (let n = 0; n < 3; n++) await ask(service.url, hit, { agent });
  const kept = await ask(service.url, hit, { agent });
  expect([kept.status, kept.headers['x-cache'], kept.headers.connection]).toEqual([200, 'hit', 'keep-alive']);
  service.child.kill('SIGTERM');
  await vi.waitUntil(() => service.stdout().includes('SIGTERM: serving on'), { timeout: 10_000 });
  // A second signal has no effect.
  service.child.kill('SIGTERM');
  for (const connection of [{ agent }, { agent: new http.Agent() }]) {
    const unready = await ask(service.url, '/readyz', connection);
    expect([unready.status, unready.headers.connection]).toEqual([503, 'close']);
    expect(unready.json()).toMatchObject({ message: 'The service is stopping.' });
    for (const path of ['/livez', '/t/photo.jpg', '/t/w_21,f_png/photo.jpg', hit]) {
      const { status, headers } = await ask(service.url, path, connection);
      expect([path, status, headers.connection]).toEqual([path, 200, 'close']);
    }
  }
  const headers = { 'if-none-match': kept.headers.etag };
  const unchanged = await ask(service.url, hit, { agent: new http.Agent(), headers });
  expect([unchanged.status, unchanged.headers.connection]).toEqual([304, 'close']);
  await service.end('SIGKILL');
  agent.destroy();
});

test('SIGTERM with a DRAIN_DELAY_MS: when it is over, new connections are refused, and what is in flight finishes', async () => {
  const service = await startServiceProcess({ ...NO_DEADLINE, DATA_DIR: data, DRAIN_DELAY_MS: '100' });
  const headers = { 'x-api-key': API_KEY, 'content-type': 'multipart/form-data; boundary=x' };
  const upload = http.request(`${service.url}/upload`, { method: 'POST', headers });
  const answer = once(upload, 'response');
  upload.write('--x\r\nContent-Disposition: form-data; name="files"; filename="slow.png"\r\n\r\n');
  upload.write(fixture('flag-alpha.png'));
  // Earlier data has arrived once a later request over a new connection is answered.
  await ask(service.url, '/health', { agent: new http.Agent() });
  service.child.kill('SIGTERM');
  await vi.waitUntil(() => isRefused(service.url), { timeout: 10_000 });
  upload.end('\r\n--x--\r\n');
  const [uploaded] = (await answer) as [http.IncomingMessage];
  expect(uploaded.statusCode).toBe(200);
  uploaded.resume();
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(service.stderr()).toBe('');
});

test('SIGTERM: a client that keeps asking over one connection does not hold up the stop', async () => {
  const service = await startServiceProcess({ ...NO_DEADLINE, DATA_DIR: data });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const path = '/t/w_20,f_png/photo.jpg';
  let answered = 0;
  const asking = (async () => {
    for (;;) {
      await ask(service.url, path, { agent });
      answered++;
    }
  })().catch((error) => error.code);
  await vi.waitUntil(() => answered > 5, { timeout: 10_000 });
  service.child.kill('SIGTERM');
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(['ECONNREFUSED', 'ECONNRESET']).toContain(await asking);
});

test('SIGTERM: a request that does not end is cut at the deadline', async () => {
  const service = await startServiceProcess({ SHUTDOWN_TIMEOUT_MS: '100', API_KEY, DATA_DIR: data });
  const headers = { 'x-api-key': API_KEY, 'content-type': 'multipart/form-data; boundary=x' };
  const upload = http.request(`${service.url}/upload`, { method: 'POST', headers });
  const failure = once(upload, 'error');
  upload.write('--x\r\n');
  await once(upload, 'socket');
  await ask(service.url, '/health');
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await failure;
});

test('SIGKILL: the render workers end with their parent, also in the middle of a render', async () => {
  const environment = { RENDER_WORKERS: '2', RENDER_WORKER_IDLE_MS: '0' };
  const service = await startServiceProcess({ API_KEY, DATA_DIR: data, ...environment });
  const workers = await vi.waitUntil(async () => {
    const children = await childrenOf(service.pid);
    return children.length === 2 && children;
  }, 10_000);
  const requests = [2001, 2002].map((width) =>
    ask(service.url, `/t/w_${width},f_avif/photo.jpg`).catch(() => undefined),
  );
  await ask(service.url, '/health');
  await service.end('SIGKILL');
  await vi.waitUntil(async () => !(await Promise.all(workers.map(isAlive))).includes(true), { timeout: 10_000 });
  expect(await Promise.all(requests)).toEqual([undefined, undefined]);
});
