import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Answer, ask, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';

const STRANGER = '198.51.100.7';
const VISITOR = '2001:db8:0:1::5';

let service: TestService;
const stats = () => service.services.pool.stats();
const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 30_000, interval: 5 });

async function start(environment: Record<string, string> = {}): Promise<void> {
  service = await startService({ RENDER_WORKERS: '2', ...FROM_ANYWHERE, ...environment });
  await writeFile(join(service.originals, 'photo.jpg'), fixture('photo-2725x2225.jpg'));
  await writeFile(join(service.originals, 'face.jpg'), fixture('portrait-face.jpg'));
}
afterEach(() => service.close());

const askAs = (address: string, path: string): Promise<Answer> =>
  ask(service.url, path, { headers: { 'x-forwarded-for': address } });

/** Sends a request without waiting for the response. */
function beginAs(address: string, path: string): http.ClientRequest {
  const request = http.get(service.url + path, { headers: { 'x-forwarded-for': address }, agent: false });
  request.on('error', () => undefined);
  return request;
}

/** Requests AVIFs that take most of a second each: each worker renders one, the others wait. */
async function besiege(
  count: number,
  segmentOf = (n: number) => `w_${1900 + n},f_avif`,
): Promise<http.ClientRequest[]> {
  const requests = Array.from({ length: count }, (_, n) => beginAs(STRANGER, `/t/${segmentOf(n)}/photo.jpg`));
  await until(() => stats().queued >= count - 2 - stats().rendered);
  return requests;
}

describe('one network that asks for 95 large pictures', () => {
  test('is served in turn with others, whose thumbnails and cached pictures do not wait for it', async () => {
    await start();
    await askAs(VISITOR, '/t/w_30/photo.jpg');
    const requests = await besiege(95);
    const before = stats().rendered;
    for (let n = 0; n < 5; n++) expect((await askAs(VISITOR, `/t/w_${40 + n}/photo.jpg`)).status).toBe(200);
    expect((await askAs(VISITOR, '/t/w_30/photo.jpg')).headers['x-cache']).toBe('hit');
    // Each thumbnail waits for the end of one render at most; meanwhile the other worker continues with the attacker's.
    expect(stats().rendered - before).toBeLessThanOrEqual(30);
    expect(stats().queued).toBeGreaterThan(60);
    for (const request of requests) request.destroy();
    await until(() => stats().rendering === 0);
  });

  test('delays nobody who wants one of them as well', async () => {
    await start();
    const requests = await besiege(95, (n) => `w_${1900 + n},h_900,g_face,f_avif`);
    const before = stats().rendered;
    const answered = once(requests[94] as http.ClientRequest, 'response') as Promise<[http.IncomingMessage]>;
    const last = '/t/w_1994,h_900,g_face,f_avif/photo.jpg';
    expect((await askAs(VISITOR, last)).status).toBe(200);
    expect(stats().rendered - before).toBeLessThanOrEqual(10);
    expect((await answered)[0].statusCode).toBe(200);
    for (const request of requests) request.destroy();
    await until(() => stats().rendering === 0);
  });

  test('cannot fill the queue: what is over its share is 429, and others find room', async () => {
    await start({ RENDER_QUEUE_MAX: '10', RENDER_QUEUE_MAX_PER_CLIENT: '4', RENDER_WORKERS: '1' });
    const requests = await besiege(5);
    const refused = await askAs(STRANGER, '/t/w_50/photo.jpg');
    expectTooMany(refused, 'RENDER_QUEUE_MAX_PER_CLIENT');
    expect((await askAs(VISITOR, '/t/w_50/photo.jpg')).status).toBe(200);
    const authorized = await fetch(`${service.url}/t/w_51/photo.jpg`, {
      headers: { authorization: `Bearer ${TEST_KEY}`, 'x-forwarded-for': STRANGER },
    });
    expect(authorized.status).toBe(200);
    for (const request of requests) request.destroy();
    await until(() => stats().rendering === 0);
  });
});

describe('the CPU time of cold renders', () => {
  test('is counted by network, and beyond RENDER_BUDGET_PER_CLIENT the next one is 429', async () => {
    await start({ RENDER_BUDGET_PER_CLIENT: '1' });
    expect((await askAs(STRANGER, '/t/w_50/photo.jpg')).status).toBe(200);
    expectTooMany(await askAs(STRANGER, '/t/w_51/photo.jpg'), 'RENDER_BUDGET_PER_CLIENT');
    const again = await askAs(STRANGER, '/t/w_50/photo.jpg');
    expect([again.status, again.headers['x-cache']]).toEqual([200, 'hit']);
    expect((await askAs(STRANGER, '/t/photo.jpg')).status).toBe(200);
    expect((await askAs(VISITOR, '/t/w_51/photo.jpg')).status).toBe(200);
    expect((await askAs(STRANGER, '/t/w_51/photo.jpg')).status).toBe(200);
    // The same IPv6 network, and another.
    expectTooMany(await askAs('2001:db8:0:1:ffff::1', '/t/w_52/photo.jpg'), 'RENDER_BUDGET_PER_CLIENT');
    expect((await askAs('2001:db8:0:2::1', '/t/w_52/photo.jpg')).status).toBe(200);
  });

  test('is charged to nobody who shows a key', async () => {
    await start({ RENDER_BUDGET_PER_CLIENT: '1' });
    for (const width of [50, 51, 52]) {
      const answer = await ask(service.url, `/t/w_${width}/photo.jpg`, { headers: { 'x-api-key': TEST_KEY } });
      expect(answer.status).toBe(200);
    }
  });

  test('is charged for a frame of a video and for looking for faces as well', async () => {
    await start({ RENDER_BUDGET_PER_CLIENT: '50' });
    await writeFile(join(service.originals, 'clip.mp4'), fixture('schizo_90.mp4'));
    let status = 200;
    for (let n = 0; n < 40 && status === 200; n++)
      status = (await askAs(STRANGER, `/t/so_0.${n},w_9,q_${n + 1},f_png/clip.mp4`)).status;
    expect(status).toBe(429);
  });

  test('has no limit by default where requests have none', async () => {
    await start({ PUBLIC_RATE_LIMIT_MAX: '0' });
    expect(service.services.config.renderBudget.perClientMs).toBe(0);
  });

  test('is 60 s in a minute by default', async () => {
    await start({ PUBLIC_RATE_LIMIT_MAX: '100' });
    expect(service.services.config.renderBudget).toEqual({ perClientMs: 60_000, windowMs: 60_000 });
  });
});

function expectTooMany(answer: Answer, setting: string): void {
  expect(answer.status).toBe(429);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(answer.headers['cache-control']).toBe('no-store');
  const { error, message, retryAfter } = answer.json();
  expect([error, retryAfter]).toEqual(['Too many requests', Number(answer.headers['retry-after'])]);
  expect(message).toContain(setting);
}
