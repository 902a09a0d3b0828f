import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { ADMIN, call, upload } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ API_SECRET: 'test-secret-at-least-16-chars-long' });
  await upload(service, '', 'outside.png');
});
afterAll(() => service.close());

let spaces = 0;
let space: string;
/** Each test has a space with the file `a.png`. */
beforeEach(async () => {
  space = `space-${++spaces}`;
  await call(service, 'POST', '/spaces', { id: space });
  await upload(service, `/b/${space}`, 'a.png');
});

const get = (path: string, headers: Record<string, string> = {}) => ask(service.url, path, { headers });
const limit = (rules: object) => call(service, 'PATCH', `/spaces/${space}`, rules);

async function statusOf(path: string, headers?: Record<string, string>): Promise<unknown> {
  const { status, body } = await get(path, headers);
  return status === 429 ? JSON.parse(body.toString()).code : status;
}

const signed = async (prefix: string, path: string) =>
  String((await call(service, 'POST', `${prefix}/delivery/sign`, { path, transformation: 'w_20' })).data.url);

describe('a used-up transfer', () => {
  test('refuses URLs of the library that lead into the space, and no others', async () => {
    // Remembered before the limit is set.
    for (let round = 0; round < 2; round++) expect(await statusOf(`/t/w_20/${space}/a.png`)).toBe(200);
    await limit({ quota: { transferPerMonth: 1 } });
    const paths = [
      `/t/w_20/${space}/a.png`,
      `/t/${space}/a.png`,
      `/t/w_20/${space}/missing.png`,
      `/download/${space}/a.png`,
      `/download-folder/${space}`,
      `/b/${space}/t/w_20/a.png`,
      await signed('', `${space}/a.png`),
      await signed(`/b/${space}`, 'a.png'),
    ];
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 'transfer_exceeded']);
    expect(await statusOf(`/t/w_20/${space}/a.png`, ADMIN)).toBe('transfer_exceeded');
    expect(await statusOf('/t/w_20/outside.png')).toBe(200);
    // The bytes of a layer are those of the image around it.
    expect(await statusOf(`/t/w_20~l_${space}:a.png/outside.png`)).toBe(200);
  });

  test('counts what was delivered by both URLs, also of repeated responses', async () => {
    const { body } = await get(`/t/w_20/${space}/a.png`);
    for (let round = 0; round < 3; round++) await get(`/t/w_20/${space}/a.png`);
    await get(`/b/${space}/t/w_20/a.png`);
    await limit({ quota: { transferPerMonth: body.length * 5 + 1 } });
    const { data } = await call(service, 'GET', `/b/${space}/usage`);
    expect(data.quota).toMatchObject({ usedTransfer: body.length * 5 });
    expect(await statusOf(`/t/w_20/${space}/a.png`)).toBe(200);
  });
});

describe('the rate limit', () => {
  test('counts requests by all URLs together, each once', async () => {
    await limit({ rateLimit: { total: 6 } });
    const paths = [
      `/t/w_20/${space}/a.png`,
      `/b/${space}/t/w_20/a.png`,
      `/download/${space}/a.png`,
      `/video-status/${space}/a.png`,
      `/t/w_21/${space}/a.png`,
      `/t/w_21/${space}/a.png`,
    ];
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 200]);
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 'rate_limited']);
    expect(await statusOf('/t/w_20/outside.png')).toBe(200);
  });

  test('does not count signed URLs', async () => {
    await limit({ rateLimit: { perAddress: 1 } });
    const url = await signed('', `${space}/a.png`);
    for (let round = 0; round < 3; round++) expect(await statusOf(url)).toBe(200);
  });

  test('counts repeated 404s', async () => {
    await limit({ rateLimit: { perAddress: 2 } });
    const path = `/t/w_20/${space}/missing.png`;
    expect([await statusOf(path), await statusOf(path), await statusOf(path)]).toEqual([404, 404, 'rate_limited']);
  });
});
