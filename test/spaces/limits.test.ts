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

const TRANSFER = 'transfer_exceeded';

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
  });

  test('refuses what has a layer of the space, also where it was answered before', async () => {
    const layered = `/t/w_20~l_${space}:a.png/outside.png`;
    const missing = `/t/w_20~l_${space}:missing.png/outside.png`;
    for (let round = 0; round < 3; round++)
      expect([await statusOf(layered), await statusOf(missing)]).toEqual([200, 404]);
    const url = String(
      (await call(service, 'POST', '/delivery/sign', { path: 'outside.png', transformation: `w_20~l_${space}:a.png` }))
        .data.url,
    );
    expect(await statusOf(url)).toBe(200);
    await limit({ quota: { transferPerMonth: 1 } });
    // The bytes are those of the space of the file: there are none in this one yet.
    expect(await statusOf(layered)).toBe(200);
    await get(`/b/${space}/t/a.png`);
    await limit({ quota: { transferPerMonth: 2 } });
    for (let round = 0; round < 3; round++)
      for (const path of [layered, missing, url]) expect([path, await statusOf(path)]).toEqual([path, TRANSFER]);
    expect(await statusOf(layered, ADMIN)).toBe(TRANSFER);
    expect(await statusOf('/t/w_20/outside.png')).toBe(200);
  });

  test('of another space refuses a layer in it', async () => {
    const other = `${space}-other`;
    await call(service, 'POST', '/spaces', { id: other });
    await upload(service, `/b/${other}`, 'a.png');
    await get(`/b/${other}/t/a.png`);
    await call(service, 'PATCH', `/spaces/${other}`, { quota: { transferPerMonth: 1 } });
    expect(await statusOf(`/t/w_20~l_${other}:a.png/${space}/a.png`)).toBe(TRANSFER);
    expect(await statusOf(`/t/w_20/${space}/a.png`)).toBe(200);
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

  test('counts layers of the space, each request once, and on the fast path too', async () => {
    await limit({ rateLimit: { total: 5 } });
    const layered = `/t/w_20~l_${space}:a.png/outside.png`;
    const status = `/video-status/w_20~l_${space}:a.png/outside.png`;
    const both = `/t/w_20~l_${space}:a.png/${space}/a.png`;
    for (const path of [layered, layered, layered, status, both])
      expect([path, await statusOf(path)]).toEqual([path, 200]);
    for (const path of [layered, status, both]) expect([path, await statusOf(path)]).toEqual([path, 'rate_limited']);
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
