import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { FOUND_IN_CODE } from '../../compat/cloudinary-urls.ts';
import { Contract } from '../../contract.ts';
import { type Answer, ask, fixture } from '../../http.ts';
import { startService, TEST_KEY, type TestService } from '../../service.ts';

const PRESETS = 'card=w_30,h_20,f_webp;media_lib=w_24';

let service: TestService;
beforeAll(async () => {
  service = await startService({ COMPAT: 'cloudinary', PRESETS, CDN_TAGS: 'true' });
  const { place } = service;
  await place('blog/cover.jpg', fixture('concert.jpg'));
  await place('blog/é è.jpg', fixture('concert.jpg'));
  await place('a_team/all.jpg', fixture('concert.jpg'));
  await place('IMG_1.JPG', fixture('concert.jpg'));
  await place('brand/logo.png', fixture('flag-alpha.png'));
  await place('both.png', fixture('badge.png'));
  await place('both.jpg', fixture('concert.jpg'));
  await place('squares.gif', fixture('rotating-squares.gif'));
  await place('clips/tour.mp4', fixture('schizo_90.mp4'));
  await place('clips/tour.png', fixture('flag-alpha.png'));
  await place('papers/list.csv', 'a,b');
});
afterAll(() => service.close());

const get = (path: string, headers: Record<string, string> = {}) => ask(service.url, path, { headers });

async function shapeOf({ body }: Answer): Promise<string> {
  const { format, width, pageHeight, height } = await sharp(body, { animated: true }).metadata();
  return `${format} ${width}x${pageHeight ?? height}`;
}

const I = '/demo/image/upload';
const V = '/demo/video/upload';

describe('a URL of Cloudinary is answered in place', () => {
  test.each([
    [`${I}/blog/cover.jpg`, 'jpeg 400x267'],
    [`${I}/v1571218039/blog/cover`, 'jpeg 400x267'],
    ['/image/upload/w_40/blog/cover.jpg', 'jpeg 40x27'],
    ['/demo/iu/w_40/blog/cover.jpg', 'jpeg 40x27'],
    ['/iu/w_40/blog/cover.jpg', 'jpeg 40x27'],
    [`${I}/s--Ai4Znfl3--/w_40/blog/cover.jpg`, 'jpeg 40x27'],
    [`${I}/w_40/v1/a_team/all.jpg`, 'jpeg 40x27'],
    [`${I}/c_fill%2Cw_40%2Ch_30/q_auto/f_auto/v123/blog/cover.jpg?_a=BAMAAAP0`, 'webp 40x30'],
    [`${I}/c_fill,w_20,h_10,dpr_2.0/blog/cover.png`, 'png 40x20'],
    [`${I}/w_40/blog/%C3%A9%20%C3%A8`, 'jpeg 40x27'],
    [`${I}/w_40/IMG_1`, 'jpeg 40x27'],
    [`${I}/w_40/brand/logo`, 'png 40x27'],
    [`${I}/w_40/both.png`, 'png 40x40'],
    [`${I}/t_card/f_auto/blog/cover.jpg`, 'webp 30x20'],
    [`${I}/t_media_lib/blog/cover.jpg`, 'webp 24x16'],
    [`${I}/w_60/l_brand:logo,w_20,g_south_east/blog/cover.jpg`, 'jpeg 60x40'],
    [`${I}/w_60/l_text:Arial_12_bold:Hello/fl_layer_apply,g_south/blog/cover.jpg`, 'jpeg 60x40'],
    [`${I}/w_30/squares.gif`, 'gif 30x30'],
    [`${V}/so_1,w_40/clips/tour.jpg`, 'jpeg 40x30'],
    [`${V}/so_1,w_40/f_auto/clips/tour.png`, 'png 40x30'],
  ])('%s is %s', async (url, shape) => {
    const answer = await get(url, { accept: 'image/webp,*/*' });
    expect([answer.status, answer.status === 200 ? await shapeOf(answer) : answer.body.toString()]).toEqual([
      200,
      shape,
    ]);
  });

  test('also in the forms that public code has', async () => {
    const { place } = service;
    const samples: Record<string, string> = { jpg: 'concert.jpg', png: 'flag-alpha.png', mp4: 'schizo_90.mp4' };
    const asked = FOUND_IN_CODE.filter(({ shape }) => shape !== '');
    for (const { file } of asked) await place(file, fixture(samples[file.slice(-3)] ?? ''));
    const answers = asked.map(async ({ url }) => {
      const answer = await get(url, { accept: 'image/webp,*/*' });
      return { url, shape: answer.status === 200 ? await shapeOf(answer) : answer.body.toString() };
    });
    expect(await Promise.all(answers)).toEqual(asked.map(({ url, shape }) => ({ url, shape })));
  });

  test('as the URL of /t/ is that it means: the same variant, with all that caches and browsers ask', async () => {
    const own = await get('/t/w_50,f_auto/blog/cover.jpg', { accept: 'image/webp' });
    const answer = await get(`${I}/w_50,f_auto/blog/cover`, { accept: 'image/webp' });
    expect(answer.headers).toMatchObject({
      'x-cache': 'hit',
      'content-type': 'image/webp',
      vary: 'Accept',
      'cache-tag': own.headers['cache-tag'],
      'cache-control': own.headers['cache-control'],
      'access-control-allow-origin': '*',
      etag: own.headers.etag,
    });
    expect(answer.body.equals(own.body)).toBe(true);
    const held = { accept: 'image/webp', 'if-none-match': answer.headers.etag ?? '' };
    expect(await get(`${I}/w_50,f_auto/blog/cover`, held)).toMatchObject({ status: 304 });
    const part = await get(`${I}/w_50,f_auto/blog/cover`, { accept: 'image/webp', range: 'bytes=0-3' });
    expect([part.status, part.body.toString()]).toEqual([206, 'RIFF']);
    const head = await ask(service.url, `${I}/w_50/blog/cover`, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(await ask(service.url, `${I}/w_50/blog/cover`, { method: 'POST' })).toMatchObject({ status: 405 });
  });

  test('raw files and videos come as they are; what has to be made of a video is 202, and a playlist leads to /t/', async () => {
    expect((await get('/demo/raw/upload/v1/papers/list.csv')).body.toString()).toBe('a,b');
    expect(await get('/demo/raw/upload/papers/list')).toMatchObject({ status: 404 });
    const original = await get(`${V}/clips/tour`);
    expect([original.headers['content-type'], original.body.equals(fixture('schizo_90.mp4'))]).toEqual([
      'video/mp4',
      true,
    ]);
    const pending = await get(`${V}/w_40,ac_none,e_sepia/clips/tour.mp4`);
    expect([pending.status, pending.json().statusUrl]).toEqual([202, '/video-status/w_40%2Cau_none/clips/tour.mp4']);
    expect(pending.headers['darkroom-ignored']).toBe('e_sepia');
    const stream = await get(`${V}/sp_auto/clips/tour.m3u8`);
    expect([stream.status, stream.json().statusUrl]).toEqual([202, '/video-status/f_hls/clips/tour.mp4']);
  });
});

describe('what is not the same has a name', () => {
  test('in headers, of the first answer and of those from memory', async () => {
    const url = `${I}/w_44,e_blur:300,d_none.png,fl_lossy/blog/cover.jpg`;
    for (let n = 0; n < 4; n++) {
      const { status, headers } = await get(url);
      expect([status, headers['darkroom-ignored']]).toEqual([200, 'd_none.png, fl_lossy']);
      expect(headers['darkroom-approximate']).toMatch(/^e_blur:300 \(.+\)$/);
    }
  });

  test('which are ASCII, and short whatever is asked', async () => {
    const { headers } = await get(`${I}/w_44,d_%C3%A9.png,${'fl_lossy,'.repeat(200)}q_50/blog/cover.jpg`);
    expect(headers['darkroom-ignored']).toMatch(/^d_\?\.png, fl_lossy, .*\.\.\.$/);
    expect(headers['darkroom-ignored']?.length).toBeLessThan(500);
  });

  test.each([
    [`${I}/e_cartoonify/blog/cover.jpg`, 'e_cartoonify'],
    [`${I}/t_nobody/blog/cover.jpg`, 't_nobody'],
    [`${I}/w_99999/blog/cover.jpg`, 'w_99999'],
    [`${I}/blog/cover.tiff`, '.tiff'],
    ['/demo/image/fetch/https://example.com/a.jpg', 'image/fetch'],
    ['/image/private/blog/cover.jpg', 'image/private'],
  ])('%s is 400 and names %s', async (url, part) => {
    const answer = await get(url);
    expect([answer.status, answer.json().code]).toEqual([400, 'untranslatable']);
    expect(answer.json().message).toContain(`received ${JSON.stringify(part).slice(0, -1)}`);
  });

  test('a name of no file is 404, a name that no file can have 400, and another endpoint is as before', async () => {
    for (const url of [`${I}/w_40/none`, `${I}/none.jpg`, `${V}/blog/cover.jpg`]) {
      const answer = await get(url);
      expect([url, answer.status, answer.json().code]).toEqual([url, 404, 'file_not_found']);
    }
    expect(await get(`${I}/w_40/../x.jpg`)).toMatchObject({ status: 400 });
    expect(await get(`${I}/w_40/..%2F..%2F..%2Fx.jpg`)).toMatchObject({ status: 400 });
    expect(await get(`${I}/w_40/a%2F%2E%2E%2Fx.jpg`)).toMatchObject({ status: 400 });
    expect(await get(`${I}/w_40/${'x'.repeat(300)}`)).toMatchObject({ status: 400 });
    expect((await get('/demo/pictures/cover.jpg')).json().code).toBe('unknown_endpoint');
  });
});

describe('two files of one stem', () => {
  test('are told apart by the extension, else by the table of types, which a header says', async () => {
    const answer = await get(`${I}/w_46/both`);
    expect([await shapeOf(answer), answer.headers['darkroom-approximate']]).toEqual([
      'jpeg 46x31',
      'both.jpg (both.png would fit the name as well)',
    ]);
    const png = await get(`${I}/w_46/both.png`);
    expect([await shapeOf(png), png.headers['darkroom-approximate']]).toEqual(['png 46x46', undefined]);
    // Images and videos are separate namespaces, which may share names.
    expect(await shapeOf(await get(`${I}/w_46/clips/tour`))).toBe('png 46x31');
  });

  test('a better one is found as soon as others are seen, also behind answers from memory', async () => {
    await service.place('later.png', fixture('badge.png'));
    const url = `${I}/w_47/later.jpg`;
    for (let n = 0; n < 3; n++) expect(await shapeOf(await get(url))).toBe('jpeg 47x47');
    await service.upload({ 'later.jpg': fixture('concert.jpg') });
    await expect.poll(async () => shapeOf(await get(url))).toBe('jpeg 47x31');
    await service.authorized('/storage/later.jpg', { method: 'DELETE' });
    expect(await shapeOf(await get(url))).toBe('jpeg 47x47');
    await service.authorized('/storage/later.png', { method: 'DELETE' });
    expect(await get(url)).toMatchObject({ status: 404 });
  });

  test('names that are not there have no folder listed', async () => {
    const { store } = service.services.originals;
    const listings = (['list', 'walk', 'scan'] as const).map((method) => vi.spyOn(store, method));
    for (let n = 0; n < 50; n++) expect((await get(`${I}/w_40/none-${n}`)).status).toBe(404);
    for (const listing of listings) {
      expect(listing).not.toHaveBeenCalled();
      listing.mockRestore();
    }
  });
});

test('a second answer is one from memory, as it is below /t/', async () => {
  const read = vi.spyOn(service.services.compat.cloudinary, 'read');
  const url = `${I}/w_48/blog/cover`;
  await expect
    .poll(async () => {
      read.mockClear();
      await get(url);
      return read.mock.calls.length;
    })
    .toBe(0);
  read.mockRestore();
});

describe('POST /delivery/translate', () => {
  async function translate(urls: unknown, at: TestService = service) {
    const headers = { 'content-type': 'application/json' };
    const answer = await at.authorized('/delivery/translate', {
      method: 'POST',
      headers,
      body: JSON.stringify({ urls }),
    });
    const body = (await answer.json()) as { translations: Record<string, unknown>[]; code?: string };
    return { status: answer.status, ...body };
  }

  test('gives our URL of each, which the service answers, and says what was lost and what is not there', async () => {
    const host = 'https://res.cloudinary.com';
    const { translations } = await translate([
      `${host}${I}/w_40,fl_lossy,e_blur:300/v12/blog/cover?_a=B`,
      `${V}/clips/tour.mp4`,
      `${I}/w_40/l_brand:logo,w_9/l_text:Arial_12:It's%20(here)/blog/%C3%A9%20%C3%A8.jpg`,
      `${host}${I}/w_40/none/at/all.jpg`,
    ]);
    expect(translations).toEqual([
      {
        received: `${host}${I}/w_40,fl_lossy,e_blur:300/v12/blog/cover?_a=B`,
        url: '/t/w_40,e_blur:3,f_jpeg/blog/cover.jpg',
        file: 'blog/cover.jpg',
        found: true,
        refusal: null,
        ignored: ['fl_lossy'],
        approximate: [{ part: 'e_blur:300', reason: expect.any(String) }],
        original: { url: `${host}/demo/image/upload/v1/blog/cover`, folder: 'blog' },
      },
      expect.objectContaining({ url: '/t/clips/tour.mp4', found: true }),
      expect.objectContaining({
        url: expect.stringMatching(/^\/t\/w_40[^'()]+It%27s%2520%28here%29[^'()]+\.jpg$/),
        found: true,
      }),
      expect.objectContaining({ url: '/t/w_40,f_jpeg/none/at/all.jpg', file: 'none/at/all.jpg', found: false }),
    ]);
    for (const { url, found } of translations) expect((await get(String(url))).status).toBe(found ? 200 : 404);
  });

  test('names what is refused, and where the original is all the same', async () => {
    const { translations } = await translate([
      `${I}/e_cartoonify/blog/cover.jpg`,
      `${I}/t_nobody/v1/blog/my%20cover.jpg`,
      'https://example.com/photo.jpg',
      `${I}/w_40/../a.jpg`,
    ]);
    expect(translations.map(({ url, refusal, original }) => [url, refusal, original])).toEqual([
      [null, { part: 'e_cartoonify', reason: expect.any(String) }, expect.objectContaining({ folder: 'blog' })],
      [
        null,
        { part: 't_nobody', reason: 'there is no preset of this name' },
        { url: 'https://res.cloudinary.com/demo/image/upload/v1/blog/my%20cover', folder: 'blog' },
      ],
      [null, { part: 'https://example.com/photo.jpg', reason: expect.any(String) }, null],
      [null, { part: `${I}/w_40/../a.jpg`, reason: expect.any(String) }, expect.any(Object)],
    ]);
  });

  test('takes a hundred, without the setting too; where only signed URLs deliver, ours are signed', async () => {
    const url = `${I}/w_40/blog/cover.jpg`;
    expect(await translate(Array(101).fill(url))).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(await translate([])).toMatchObject({ status: 400 });
    const signed = await startService({
      DELIVERY_MODE: 'signed',
      API_SECRET: 'a-secret-of-sixteen-characters',
      DATA_DIR: service.data,
    });
    const { translations } = await translate(Array(100).fill(url), signed);
    expect(translations.length).toBe(100);
    expect(translations[99]?.url).toMatch(/^\/authenticated\/s--/);
    expect((await ask(signed.url, String(translations[99]?.url))).status).toBe(200);
    await signed.close();
  });
});

test('the document has the endpoints, and every answer is one of those that it names', async () => {
  const { authorized } = service;
  const contract = new Contract((await (await authorized('/api/openapi.json')).json()) as Record<string, unknown>);
  const operation = contract.operations.find(({ operationId }) => operationId === 'getCloudinaryImage');
  expect(operation).toMatchObject({ method: 'GET', path: '/image/upload/{path}' });
  for (const url of [`${I}/w_40/both`, `${I}/blog/cover.jpg`, `${I}/e_x/a.jpg`, `${I}/none`]) {
    expect(operation && contract.objection(operation, await get(url))).toBeUndefined();
  }
  expect(contract.operations.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['getCloudinaryVideo', 'getCloudinaryRaw']),
  );
});

describe('by mode and setting', () => {
  test('presets are what strangers may have, originals too, and a key has all', async () => {
    const closed = await startService({
      COMPAT: 'cloudinary',
      PRESETS: 'card=w_30;auto=w_40,f_auto',
      DELIVERY_MODE: 'presets',
      DATA_DIR: service.data,
      PUBLIC_RATE_LIMIT_MAX: '6',
      PUBLIC_RATE_LIMIT_WINDOW_MS: '3600000',
    });
    const status = async (url: string, headers = {}) => (await ask(closed.url, url, { headers })).status;
    expect(await status(`${I}/t_card/blog/cover`)).toBe(200);
    expect(await status(`${I}/w_40/f_auto/blog/cover`)).toBe(200);
    expect(await status(`${I}/blog/cover`)).toBe(200);
    const refused = await ask(closed.url, `${I}/w_41/blog/cover`);
    expect([refused.status, refused.json().code]).toEqual([403, 'preset_required']);
    const known = await ask(closed.url, `${I}/w_41/blog/cover`, { headers: { 'x-api-key': TEST_KEY } });
    expect([known.status, known.headers['cache-control']]).toEqual([200, 'private, no-cache']);
    // They count against the rate limit like those of /t/.
    expect([known.headers['x-ratelimit-remaining'], await status(`${I}/blog/cover`), await status(I)]).toEqual([
      '1',
      200,
      429,
    ]);
    await closed.close();
  });

  test('signed and Cloudinary do not go together, and without the setting there are no such URLs', async () => {
    const signed = { DELIVERY_MODE: 'signed', API_SECRET: 'a-secret-of-sixteen-characters' };
    expect(() => readConfig({ ...signed, COMPAT: ' cloudinary ' })).toThrow(/^COMPAT: expected no cloudinary/);
    expect(() => readConfig({ COMPAT: 'imgix' })).toThrow(/^COMPAT: expected a list of cloudinary/);
    const off = await startService({ DATA_DIR: service.data });
    expect((await ask(off.url, `${I}/blog/cover.jpg`)).json().code).toBe('unknown_endpoint');
    await off.close();
  });
});
