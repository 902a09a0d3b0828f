import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

const TWO_DAYS_MS = 172_800_000;

let service: TestService;
/** Amount by which the system clock is set back. */
let jump: number;
beforeEach(async () => {
  jump = 0;
  const now = Date.now.bind(Date);
  // Before the service reads it.
  vi.spyOn(Date, 'now').mockImplementation(() => now() - jump);
  service = await startService({ PUBLIC_RATE_LIMIT_MAX: '50', ORIGINAL_CHECK_INTERVAL_MS: '20' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.close();
});

const get = (path: string) => ask(service.url, path);

test('after the clock was set back, a replaced picture is noticed as soon as ever', async () => {
  const place = (name: string) => writeFile(join(service.originals, 'photo.jpg'), fixture(name));
  await place('concert.jpg');
  const before = await get('/t/w_20,f_png/photo.jpg');
  jump = TWO_DAYS_MS;
  await place('no-face.jpg');
  await expect.poll(async () => (await get('/t/w_20,f_png/photo.jpg')).headers.etag).not.toBe(before.headers.etag);
});

test('after the clock was set back, who asked too often waits for a window at most, and is told so', async () => {
  await Promise.all(Array.from({ length: 50 }, () => get('/health')));
  jump = TWO_DAYS_MS;
  const refused = await get('/health');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  const reset = Number(refused.headers['x-ratelimit-reset']);
  expect(reset).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000));
  expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 60);
});
