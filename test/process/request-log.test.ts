import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sign } from '../../src/auth/signature.ts';
import { ask, fixture } from '../http.ts';
import { TEST_KEY } from '../service.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const SECRET = 'test-secret-at-least-16-chars-long';

let data: string;
let service: ServiceProcess;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-log-'));
  service = await startServiceProcess({ DATA_DIR: data, LOG_REQUESTS: 'all', API_KEY: TEST_KEY, API_SECRET: SECRET });
});
afterAll(async () => {
  await service.end('SIGKILL');
  await rm(data, { recursive: true });
});

interface Line {
  url: string;
  status: number;
  cut?: boolean;
}

function lines(): Line[] {
  const whole = service.stdout().slice(0, service.stdout().lastIndexOf('\n'));
  return whole
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request');
}

const form = (files: Record<string, Uint8Array>) => {
  const body = new FormData();
  for (const [name, bytes] of Object.entries(files)) {
    body.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  }
  return body;
};

test('an upload that its client leaves is written down as such, not as a success', async () => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    [
      `POST /upload HTTP/1.1\r\nHost: ${hostname}\r\nX-Api-Key: ${TEST_KEY}\r\nContent-Length: 100000\r\n`,
      'Expect: 100-continue\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n',
      '--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\nhalf of it',
    ].join(''),
  );
  // The service is processing the request.
  await once(socket, 'data');
  socket.destroy();
  await expect.poll(() => lines().filter(({ url }) => url === '/upload')).toHaveLength(1);
  expect(lines().find(({ url }) => url === '/upload')).toMatchObject({ status: 499, cut: true });
  const metrics = await ask(service.url, '/metrics', { headers: { 'x-api-key': TEST_KEY } });
  expect(metrics.body.toString()).toContain('darkroom_requests_total{family="upload",method="POST",status="499"} 1');
});

test('no line holds a signature', async () => {
  const headers = { 'x-api-key': TEST_KEY };
  await fetch(`${service.url}/upload`, {
    method: 'POST',
    headers,
    body: form({ 'alpha.png': fixture('flag-alpha.png') }),
  });
  const signature = sign('w_50,f_png/alpha.png', SECRET);
  const url = `/authenticated/s--${signature}/w_50,f_png/alpha.png`;
  // The last of them are served from memory.
  for (let n = 0; n < 4; n++) expect((await ask(service.url, n === 0 ? `/api${url}` : url)).status).toBe(200);
  expect((await ask(service.url, `/authenticated/%73--${signature}/missing.png`)).status).toBeGreaterThanOrEqual(400);
  await expect.poll(() => lines().filter(({ url }) => url.includes('s--***')).length).toBe(4);
  await expect.poll(() => lines().some(({ url }) => url === '/authenticated/%73--***/missing.png')).toBe(true);
  expect(service.stdout()).not.toContain(signature.slice(0, 8));
});

test('a line has the same fields on the fast path and on the normal path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-log-'));
  const other = await startServiceProcess({
    DATA_DIR: folder,
    LOG_REQUESTS: 'all',
    API_KEY: TEST_KEY,
    CACHE_MEMORY_MB: '0',
    ORIGINAL_CHECK_INTERVAL_MS: '60000',
  });
  const logged = (url: string): Line[] =>
    other
      .stdout()
      .split('\n')
      .filter((line) => line.includes(`"url":"${url}"`) && line.endsWith('}'))
      .map((line) => JSON.parse(line));
  try {
    const headers = { 'x-api-key': TEST_KEY };
    await fetch(`${other.url}/upload`, { method: 'POST', headers, body: form({ 'a.jpg': fixture('concert.jpg') }) });
    for (const [path, status] of [
      ['/t/w_50,f_png/a.jpg', 200],
      ['/t/w_50,f_png/missing.jpg', 404],
    ] as const) {
      // From the third one on, they take the fast path.
      for (let n = 0; n < 4; n++) expect((await ask(other.url, path)).status).toBe(status);
      await expect.poll(() => logged(path).length).toBe(4);
      const line = { level: 30, time: expect.any(Number), reqId: expect.any(String), method: 'GET', url: path };
      const expected = { ...line, status, ms: expect.any(Number), msg: 'request' };
      expect(logged(path)).toEqual([expected, expected, expected, expected]);
    }
  } finally {
    await other.end('SIGKILL');
    await rm(folder, { recursive: true });
  }
});
