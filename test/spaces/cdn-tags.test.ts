import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { type PurgeTarget, startPurgeTarget } from '../purge-target.ts';
import { startService, type TestService } from '../service.ts';
import { ADMIN, call, PHOTO, upload } from './asking.ts';

let target: PurgeTarget;
let service: TestService;
beforeAll(async () => {
  target = await startPurgeTarget();
  service = await startService({
    CDN_TAGS: 'true',
    CDN_PURGE_URL: `${target.url}/purge`,
    CDN_PURGE_DELAY_MS: '500',
    CDN_PURGE_RETRY_DELAY_MS: '1',
  });
  service.services.purges?.start();
  await call(service, 'POST', '/spaces', { id: 'acme', folder: 'customers/acme', hosts: ['media.acme.test'] });
  for (const name of ['logo.png', 'badge.png'])
    expect((await upload(service, '/b/acme', name, { fields: { folder: 'brand' } })).status).toBe(200);
});
afterAll(async () => {
  await service.close();
  await target.close();
});

/** Tags of a file with a layer, at each URL that leads to it, twice: made, and from memory. */
async function tagsOf(): Promise<string[][]> {
  const answers: string[][] = [];
  const transformation = 'w_20,f_png~l_brand:badge.png,w_5';
  for (let round = 0; round < 2; round++) {
    for (const [url, host] of [
      [`/b/acme/t/${transformation}/brand/logo.png`, undefined],
      [`/t/${transformation}/brand/logo.png`, 'media.acme.test'],
      ['/t/w_20,f_png~l_customers:acme:brand:badge.png,w_5/customers/acme/brand/logo.png', undefined],
      ['/b/acme/t/brand/logo.png', undefined],
    ] as const) {
      const { status, headers } = await ask(service.url, url, { headers: host === undefined ? {} : { host } });
      expect([url, status]).toEqual([url, 200]);
      expect(String(headers['cache-tag']).split(',')).toEqual(String(headers['surrogate-key']).split(' '));
      answers.push(String(headers['surrogate-key']).split(' '));
    }
  }
  return answers;
}

/** Tags that a change purges. */
async function purgedBy(change: () => Promise<{ status: number }>): Promise<string[]> {
  target.received.length = 0;
  expect((await change()).status).toBe(200);
  const [first] = await target.count(1);
  return (JSON.parse(first?.body ?? '') as { tags: string[] }).tags;
}

const replace = (path: string) =>
  ask(service.url, path, {
    method: 'PUT',
    headers: { ...ADMIN, 'content-type': 'image/png' },
    body: Buffer.concat([PHOTO, Buffer.from(' ')]),
  });

test.each<[what: string, change: () => Promise<{ status: number }>]>([
  ['a file is replaced through the space', () => replace('/b/acme/storage/brand/logo.png')],
  ['a file is replaced through the library', () => replace('/storage/customers/acme/brand/logo.png')],
  ['the variants of a folder are invalidated', () => call(service, 'DELETE', '/b/acme/invalidate/brand')],
  ['the variants of the space are cleared', () => call(service, 'POST', '/b/acme/storage/cache/clear')],
  ['a rule of the space changes', () => call(service, 'PATCH', '/spaces/acme', { cors: ['*'] })],
])('the tags of all answers are purged when %s', async (_what, change) => {
  const answers = await tagsOf();
  const purged = await purgedBy(change);
  for (const tags of answers) expect(purged.some((tag) => tags.includes(tag))).toBe(true);
});

test('the tags of a layer are purged when it is replaced', async () => {
  const answers = (await tagsOf()).filter((_, n) => n % 4 < 3);
  const purged = await purgedBy(() => replace('/b/acme/storage/brand/badge.png'));
  for (const tags of answers) expect(purged.some((tag) => tags.includes(tag))).toBe(true);
});
