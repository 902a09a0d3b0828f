import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import {
  ADMIN,
  type Bordered,
  CANARY,
  changesOutside,
  hostileRequests,
  isOfLibrary,
  leakOf,
  openBordered,
  show,
} from './bordered.ts';
import { OWN_CHECKS } from './own-checks.ts';

let bordered: Bordered;
beforeAll(async () => {
  bordered = await openBordered();
});
afterAll(() => bordered.service.close());

test('the library shows what lies outside of the space', async () => {
  for (const path of ['/storage', '/tags', '/api-keys/list', '/webhooks', '/audit', '/spaces']) {
    const answer = await ask(bordered.service.url, path, { headers: ADMIN });
    expect([path, show(answer).includes(CANARY)]).toEqual([path, true]);
  }
});

test.each(Object.entries(OWN_CHECKS))('in the space, %s', async (_name, check) => {
  expect(await check(bordered)).toBeUndefined();
});

describe.each(['', '/b/mine'])('with a key of the space, at "%s"', (prefix) => {
  test('no request has anything from outside in its answer', async () => {
    const leaks: string[] = [];
    let requests = 0;
    for (const request of hostileRequests(bordered)) {
      if (isOfLibrary(prefix, request)) continue;
      const leak = await leakOf(bordered, prefix, request);
      requests++;
      if (leak !== undefined) leaks.push(leak);
    }
    expect(leaks).toEqual([]);
    expect(requests).toBeGreaterThan(500);
    // The key was valid to the end.
    const access = await ask(bordered.service.url, '/b/mine/access', { headers: { 'x-api-key': bordered.key } });
    expect(access.json()).toMatchObject({ via: 'key', space: { id: 'mine' } });
  });

  test('nothing outside has changed', async () => {
    expect(await changesOutside(bordered)).toEqual([]);
  });
});
