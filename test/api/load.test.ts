import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ask, fixture } from '../http.ts';
import { childrenOf } from '../processes.ts';
import { startService, type TestService } from '../service.ts';

/** Takes a second or more. */
const SLOW = 'w_2000,f_avif';

let service: TestService;
const stats = () => service.services.pool.stats();
const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 30_000, interval: 5 });

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startService({ RENDER_WORKERS: '2', ...environment });
  await writeFile(join(service.originals, 'photo.jpg'), fixture('photo-2725x2225.jpg'));
  await writeFile(join(service.originals, 'concert.jpg'), fixture('concert.jpg'));
}

/** Sends a request without waiting for the response, so as to disconnect before it. */
function begin(path: string): http.ClientRequest {
  const request = http.get(service.url + path, { agent: false });
  request.on('error', () => undefined);
  return request;
}

/**
 * Counts the requests that have started to wait for a render: a request reports the disconnection of its client at that
 * moment.
 */
function countWaiting(): () => number {
  const { services } = service;
  const { deliver } = services;
  let count = 0;
  services.deliver = (request, visitor) => {
    const signal = () => {
      count++;
      return visitor.signal();
    };
    return deliver(request, { ...visitor, signal });
  };
  return () => count;
}

async function statusOf(request: http.ClientRequest): Promise<number | undefined> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

afterEach(() => service.close());

describe('many clients', () => {
  beforeEach(() => start());

  test('1,000 requests at once for one cold variant cost one render', async () => {
    const answers = await Promise.all(Array.from({ length: 1000 }, () => ask(service.url, `/t/${SLOW}/photo.jpg`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(1);
    expect(answers.every(({ body }) => body.equals(answers[0]?.body ?? body))).toBe(true);
    expect(stats().rendered).toBe(1);
  });

  test('the render goes on when the client that began it leaves', async () => {
    await ask(service.url, '/t/w_10/photo.jpg');
    const workers = await childrenOf(process.pid);
    const waiting = countWaiting();
    const first = begin(`/t/${SLOW}/photo.jpg`);
    await until(() => stats().rendering === 1);
    const second = begin(`/t/${SLOW}/photo.jpg`);
    const third = begin(`/t/${SLOW}/photo.jpg`);
    // Arrival is not enough: until they wait for the render, only the first one needs it.
    await until(() => waiting() === 3);
    first.destroy();
    third.destroy();
    expect(await statusOf(second)).toBe(200);
    expect(stats().rendered).toBe(2);
    expect(await childrenOf(process.pid)).toEqual(workers);
  });

  test('40 cold requests whose clients all leave cost next to no further work', async () => {
    const requests = Array.from({ length: 40 }, (_, n) => begin(`/t/w_${1900 + n},f_avif/photo.jpg`));
    await until(() => stats().queued > 30);
    const before = stats().rendered;
    for (const request of requests) request.destroy();
    await until(() => stats().queued === 0 && stats().rendering === 0);
    // The two in progress may end before they are cancelled.
    expect(stats().rendered - before).toBeLessThanOrEqual(2);
    expect((await ask(service.url, '/t/w_10,f_png/photo.jpg')).status).toBe(200);
  });

  test('a cached variant, an original and a 404 are answered while 100 cold AVIFs wait for their turn', async () => {
    await ask(service.url, '/t/w_30,f_png/concert.jpg');
    const requests = Array.from({ length: 100 }, (_, n) => begin(`/t/w_${1900 + n},f_avif/photo.jpg`));
    await until(() => stats().queued > 90);
    const before = stats().rendered;
    const hits = await Promise.all(Array.from({ length: 20 }, () => ask(service.url, '/t/w_30,f_png/concert.jpg')));
    expect(hits.map(({ headers }) => headers['x-cache'])).toEqual(Array(20).fill('hit'));
    expect((await ask(service.url, '/t/concert.jpg')).status).toBe(200);
    expect((await ask(service.url, '/t/missing.jpg')).status).toBe(404);
    expect(stats().rendered - before).toBeLessThan(20);
    expect(stats().queued).toBeGreaterThan(70);
    for (const request of requests) request.destroy();
    await until(() => stats().rendering === 0);
  });
});

describe('too much at once', () => {
  test('a request that finds the queue full is 503 with Retry-After', async () => {
    // One of the three slots is reserved for keys and sessions.
    await start({ RENDER_WORKERS: '1', RENDER_QUEUE_MAX: '3' });
    const accepted = [begin(`/t/w_1901,f_avif/photo.jpg`), begin(`/t/w_101/photo.jpg`), begin(`/t/w_102/photo.jpg`)];
    const statuses = Promise.all(accepted.map(statusOf));
    await until(() => stats().queued === 2);
    const refused = await ask(service.url, '/t/w_103/photo.jpg');
    expectUnavailable(refused);
    expect((await ask(service.url, '/t/w_101/photo.jpg')).status, 'one more for a variant that waits').toBe(200);
    expect(await statuses).toEqual([200, 200, 200]);
    expect((await ask(service.url, '/t/w_103/photo.jpg')).status).toBe(200);
  });

  test('a request that waits too long for its turn is 503 with Retry-After', async () => {
    await start({ RENDER_WORKERS: '1', RENDER_QUEUE_WAIT_MS: '50' });
    const first = statusOf(begin(`/t/${SLOW}/photo.jpg`));
    await until(() => stats().rendering === 1);
    expectUnavailable(await ask(service.url, '/t/w_101/photo.jpg'));
    expect(await first).toBe(200);
  });

  test('a render that takes too long is 503, is stopped, and the next one works', async () => {
    await start({ RENDER_WORKERS: '1', RENDER_TIMEOUT_MS: '500' });
    const answer = await ask(service.url, '/t/w_2700,q_100,f_avif/photo.jpg');
    expectUnavailable(answer);
    expect(answer.json().message).toContain('RENDER_TIMEOUT_MS');
    expect((await ask(service.url, '/t/w_10,f_png/concert.jpg')).status).toBe(200);
  });
});

function expectUnavailable(answer: Awaited<ReturnType<typeof ask>>): void {
  expect(answer.status).toBe(503);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.json()).toEqual({ error: expect.any(String), code: expect.any(String), message: expect.any(String) });
}
