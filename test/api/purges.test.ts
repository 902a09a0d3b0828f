import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { cacheTag } from '../../src/delivery/cache-tags.ts';
import { parsePath, ROOT } from '../../src/path.ts';
import { type LibraryService, startLibrary } from '../library.ts';
import { type PurgeTarget, startPurgeTarget, status } from '../purge-target.ts';

let target: PurgeTarget;
let service: LibraryService;
/** A separate folder for the files of each test. */
let top: string;
let tests = 0;
beforeAll(async () => {
  target = await startPurgeTarget();
  service = await startLibrary({
    CDN_TAGS: 'true',
    CDN_PURGE_URL: `${target.url}/purge`,
    CDN_PURGE_DELAY_MS: '500',
    CDN_PURGE_RETRY_DELAY_MS: '1',
    CDN_PURGE_RETRY_MAX: '1',
  });
  service.services.purges?.start();
});
beforeEach(async () => {
  top = `test-${++tests}`;
  await service.store(`${top}/a/one.png`, `${top}/a/two.png`, `${top}/b/three.png`);
  target.received.length = 0;
  target.answer(status(200));
});
afterAll(async () => {
  await service.close();
  await target.close();
});

interface Purge {
  tags: string[];
  paths: string[];
}

/** Returns the contents of the next request. */
async function purged(): Promise<Purge> {
  const [request] = await target.count(1);
  return JSON.parse(request?.body ?? '') as Purge;
}

async function figures(): Promise<{ waiting: number; failed: number } | undefined> {
  const stats = (await service.call('GET', '/storage/stats')).json() as {
    purges?: { waiting: number; failed: number };
  };
  return stats.purges;
}

const untilNoneWaits = () =>
  vi.waitUntil(async () => (await figures())?.waiting === 0, { interval: 10, timeout: 20_000 });

test.each<[what: string, method: string, path: string, body: unknown, purged: string]>([
  ['deleting a file', 'DELETE', '/storage/TOP/a/one.png', undefined, 'a/one.png'],
  ['deleting a folder', 'DELETE', '/storage/TOP/a?recursive=true', undefined, 'a'],
  ['renaming a file', 'PATCH', '/storage/TOP/a/one.png', { name: 'new.png' }, 'a/one.png'],
  ['renaming a folder', 'PATCH', '/storage/TOP/a', { name: 'c' }, 'a'],
  ['moving a file', 'POST', '/storage/TOP/a/one.png/move', { destination: 'elsewhere' }, 'a/one.png'],
  ['moving a folder', 'POST', '/storage/TOP/a/move', { destination: 'elsewhere' }, 'a'],
  ['setting a focal point', 'PATCH', '/assets/TOP/a/one.png', { focal: { x: 0.25, y: 0.6 } }, 'a/one.png'],
  ['invalidating a file', 'DELETE', '/invalidate/TOP/a/one.png', undefined, 'a/one.png'],
  ['invalidating a folder', 'DELETE', '/invalidate/TOP/a', undefined, 'a'],
  ['invalidating what is gone', 'DELETE', '/invalidate/TOP/gone.png', undefined, 'gone.png'],
])('%s purges what was made of it, in one request', async (_what, method, path, body, changed) => {
  expect((await service.call(method, path.replace('TOP', top), body)).status).toBe(200);
  const paths = [`${top}/${changed}`];
  expect(await purged()).toEqual({ tags: paths.map((one) => cacheTag(parsePath(one))), paths });
  await untilNoneWaits();
  expect(target.received).toHaveLength(1);
});

test('clearing the cache purges everything, by the tag that is on everything', async () => {
  expect((await service.call('POST', '/storage/cache/clear')).status).toBe(200);
  expect(await purged()).toEqual({ tags: [cacheTag(ROOT)], paths: [''] });
  await untilNoneWaits();
  expect(target.received).toHaveLength(1);
});

test('the tag that is purged is one of the delivery', async () => {
  const delivered = await service.call('GET', `/t/w_20,f_png/${top}/a/one.png`);
  await service.call('DELETE', `/storage/${top}?recursive=true`);
  const { tags } = await purged();
  expect(tags).toHaveLength(1);
  expect(String(delivered.headers['cache-tag']).split(',')).toEqual(expect.arrayContaining(tags));
  await untilNoneWaits();
});

test('new files and copies purge nothing', async () => {
  await service.store(`${top}/a/four.png`);
  expect((await service.call('POST', `/storage/${top}/a/one.png/copy`, { destination: 'copies' })).status).toBe(200);
  expect(await figures()).toEqual({ waiting: 0, failed: 0, oldestAt: null, lastError: null });
});

test('a redirect purges its path, and so does a file that takes it', async () => {
  const redirect = { from: `${top}/old.png`, to: `${top}/a/one.png` };
  expect((await service.call('POST', '/redirects', redirect)).status).toBe(201);
  expect((await purged()).paths).toEqual([redirect.from]);
  await untilNoneWaits();
  const delivered = await service.call('GET', `/t/w_20,f_png/${top}/old.png`);
  target.received.length = 0;
  await service.store(`${top}/old.png`);
  const { tags, paths } = await purged();
  expect(paths).toEqual([redirect.from]);
  expect(String(delivered.headers['cache-tag']).split(',')).toEqual(expect.arrayContaining(tags));
  await untilNoneWaits();
  target.received.length = 0;
  expect((await service.call('DELETE', `/redirects?from=${top}/old.png`)).status).toBe(200);
  expect((await purged()).paths).toEqual([redirect.from]);
  await untilNoneWaits();
});

test('many changes at once are one request', async () => {
  const paths = ['a/one.png', 'a/two.png', 'b/three.png'].map((path) => `${top}/${path}`);
  const answers = await Promise.all(paths.map((path) => service.call('DELETE', `/storage/${path}`)));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
  expect((await purged()).paths.sort()).toEqual(paths.sort());
  await untilNoneWaits();
});

test('a CDN that refuses is seen in the statistics and the metrics', async () => {
  target.answer(status(500, {}, 'out of order'));
  const requests = service.services.purges?.requests;
  const before = { ...requests };
  await service.call('DELETE', `/storage/${top}/a/one.png`);
  // A slow change is recorded twice.
  const givenUp = async () => {
    const stats = await figures();
    return stats?.waiting === 0 && stats.failed > 0 && stats;
  };
  const seen = await vi.waitUntil(givenUp, { interval: 10, timeout: 20_000 });
  expect(seen).toMatchObject({ waiting: 0, oldestAt: null, lastError: 'status 500: out of order' });
  expect(requests).toEqual({ received: before.received, failed: expect.toSatisfy((failed: number) => failed >= 2) });
  const metrics = (await service.call('GET', '/metrics')).body.toString();
  for (const line of [
    'darkroom_purges{state="waiting"} 0',
    `darkroom_purges{state="failed"} ${seen.failed}`,
    'darkroom_purge_oldest_seconds 0',
    `darkroom_purge_requests_total{result="received"} ${before.received}`,
    `darkroom_purge_requests_total{result="failed"} ${requests?.failed}`,
  ]) {
    expect(metrics).toContain(line);
  }
});

test('the metrics have all figures but those that the database cannot tell now', async () => {
  const { purges, variants, queue } = service.services;
  if (!purges) throw new Error('Expected a service with a CDN.');
  const away = new Error('no database');
  const spies = [
    ...[vi.spyOn(purges, 'stats'), vi.spyOn(variants, 'usage')].map((spy) => spy.mockRejectedValue(away)),
    ...[vi.spyOn(queue.jobs, 'counts'), vi.spyOn(queue, 'oldestDueMs')].map((spy) => spy.mockRejectedValue(away)),
  ];
  const { status: code, body } = await service.call('GET', '/metrics');
  for (const spy of spies) spy.mockRestore();
  expect(code, body.toString()).toBe(200);
  const samples = body.toString().split('\n');
  const told = (name: string) => samples.filter((line) => line.startsWith(`darkroom_${name}`));
  expect([...told('purges'), ...told('jobs{')]).toEqual([]);
  for (const name of ['purge_oldest_seconds', 'job_oldest_due_seconds', 'cache_bytes', 'cache_files']) {
    expect(told(name)).toEqual([`darkroom_${name} Nan`]);
  }
  expect(told('purge_requests_total')).toHaveLength(2);
  expect(told('renders_total')).toHaveLength(1);
});

test('without a CDN there are no such figures', async () => {
  const plain = await startLibrary();
  expect((await plain.call('GET', '/storage/stats')).json()).not.toHaveProperty('purges');
  expect((await plain.call('GET', '/metrics')).body.toString()).not.toContain('darkroom_purge');
  await plain.close();
});
