import { once } from 'node:events';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { memoryOf } from '../processes.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';

const API_KEY = 'k'.repeat(40);
const MEGABYTE = 1024 * 1024;
const LARGE = 200 * MEGABYTE;
const UPLOAD = 45 * MEGABYTE;
const ALLOWED = 40 * MEGABYTE;

let data: string;
let service: ServiceProcess;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'darkroom-memory-'));
  await mkdir(join(data, 'originals'));
  // A hole: readers see this many bytes, but it takes no disk space.
  await using file = await open(join(data, 'originals', 'large.mp4'), 'w');
  await file.truncate(LARGE);
  service = await startServiceProcess({ DATA_DIR: data, API_KEY, PUBLIC_RATE_LIMIT_MAX: '0' });
});
afterAll(async () => {
  await service.end('SIGKILL');
  await rm(data, { recursive: true, force: true });
});

/** Reads a response to its end and discards it; returns its length in bytes. */
async function download(headers: Record<string, string> = {}): Promise<number> {
  const [response] = (await once(http.get(`${service.url}/t/large.mp4`, { headers }), 'response')) as [
    http.IncomingMessage,
  ];
  let size = 0;
  for await (const chunk of response) size += chunk.length;
  return size;
}

/** Requests the whole file and stops reading after the first bytes. */
async function stall(): Promise<http.ClientRequest> {
  const request = http.get(`${service.url}/t/large.mp4`, { agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  await once(response, 'readable');
  response.on('error', () => undefined);
  return request;
}

/** Sends an image of the given size without holding it in memory. */
async function upload(size: number): Promise<number | undefined> {
  const head = '--x\r\nContent-Disposition: form-data; name="files"; filename="large.png"\r\n\r\n';
  const headers = { 'x-api-key': API_KEY, 'content-type': 'multipart/form-data; boundary=x' };
  const request = http.request(`${service.url}/upload`, { method: 'POST', headers });
  const response = once(request, 'response') as Promise<[http.IncomingMessage]>;
  const picture = fixture('flag-alpha.png');
  request.write(head);
  request.write(picture);
  const zeros = Buffer.alloc(64 * 1024);
  for (let left = size - picture.length; left > 0; left -= zeros.length) {
    if (!request.write(zeros.subarray(0, left))) await once(request, 'drain');
  }
  request.end('\r\n--x--\r\n');
  const [{ statusCode }] = await response;
  return statusCode;
}

/** Returns the number of files that the describer has read. */
async function looked(): Promise<number> {
  const { body } = await ask(service.url, '/metrics', { headers: { 'x-api-key': API_KEY } });
  const counts = body.toString().matchAll(/^darkroom_(?:described_files|describe_failures)_total (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Returns the growth of the service's memory above its previous level. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const { now } = await memoryOf(service.pid);
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  await work();
  return (await memoryOf(service.pid)).highest - now;
}

test('a 200 MB original, whole, by range and to ten stalled readers, and a 45 MB upload need less than 40 MB', async () => {
  // The garbage collector lets a young service grow to its working size first, regardless of the size of a request.
  for (let n = 0; n < 30; n++) await upload(2 * MEGABYTE);
  for (let n = 0; n < 4; n++) await download({ range: `bytes=0-${16 * MEGABYTE}` });
  // So do the threads of background work.
  await expect.poll(looked, { timeout: 60_000 }).toBeGreaterThanOrEqual(30);
  const growth = await growthDuring(async () => {
    expect(await download()).toBe(LARGE);
    expect(await download({ range: `bytes=${50 * MEGABYTE}-${150 * MEGABYTE - 1}` })).toBe(100 * MEGABYTE);
    const stalled = await Promise.all(Array.from({ length: 10 }, stall));
    expect(await upload(UPLOAD)).toBe(200);
    expect(await download({ range: `bytes=-${10 * MEGABYTE}` })).toBe(10 * MEGABYTE);
    for (const request of stalled) request.destroy();
  });
  expect(growth).toBeLessThan(ALLOWED);
});
