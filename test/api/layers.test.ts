import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cacheTagsOf } from '../../src/delivery/cache-tags.ts';
import { FastPath } from '../../src/http/transport/fast-path.ts';
import { parsePath } from '../../src/path.ts';
import { ask, fixture } from '../http.ts';
import { solid } from '../pictures/studio.ts';
import { startService, type TestService } from '../service.ts';

const square = (red: number, green: number, blue: number) => solid(16, 16, [red, green, blue, 255]).png().toBuffer();

let service: TestService;
const shortWay = vi.spyOn(FastPath.prototype, 'tryAnswer');

beforeAll(async () => {
  service = await startService({
    ORIGINAL_CHECK_INTERVAL_MS: '60000',
    PUBLIC_RATE_LIMIT_MAX: '0',
    CDN_TAGS: 'true',
    PRESETS: 'marked=w_64,f_png~l_brand:logo.png,g_north_west',
  });
  await service.place('photo.jpg', fixture('concert.jpg'));
  await service.place('brand/logo.png', await square(255, 0, 0));
  await service.place('brand/words.png', 'no picture');
  await service.place('clip.mp4', 'no film');
  await service.place('w_10~l_inside.png/file.jpg', 'the original');
});
afterAll(() => service.close());

const get = (path: string, headers = {}) => ask(service.url, path, { headers });

async function topLeft(body: Buffer): Promise<number[]> {
  const { data } = await sharp(body).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return [...data.subarray(0, 3)];
}

describe('a layer in a URL', () => {
  test('lies over the picture, and the variant is cached under its name', async () => {
    const answer = await get('/t/w_64,f_png~l_brand:logo.png,g_nw/photo.jpg');
    expect([answer.status, answer.headers['x-cache']]).toEqual([200, 'miss']);
    expect(await topLeft(answer.body)).toEqual([255, 0, 0]);
    const same = await get('/t/f_png,w_64~l_brand%3Alogo.png,x_0,g_north_west/photo.jpg');
    expect([same.headers['x-cache'], same.headers.etag]).toEqual(['hit', answer.headers.etag]);
    const preset = await get('/t/n_marked/photo.jpg');
    expect([preset.headers['x-cache'], preset.headers.etag]).toEqual(['hit', answer.headers.etag]);
  });

  test('makes another variant than the picture without it, or with another', async () => {
    await service.place('brand/copy.png', await square(255, 0, 0));
    const tags = await Promise.all(
      [
        'w_30,f_png',
        'w_30,f_png~l_brand:logo.png',
        'w_30,f_png~l_brand:copy.png',
        'w_30,f_png~l_brand:logo.png~l_brand:logo.png',
      ].map(async (segment) => (await get(`/t/${segment}/photo.jpg`)).headers.etag),
    );
    expect(new Set(tags).size).toBe(4);
  });

  test('is named by its path, encoded once more than the rest', async () => {
    await service.place('odd, ~:100%/größe.png', await square(0, 0, 255));
    const name = encodeURIComponent('odd, ~:100%/größe.png').replaceAll('~', '%7E');
    const answer = await get(`/t/w_64,f_png~l_${encodeURIComponent(name)},g_nw/photo.jpg`);
    expect(await topLeft(answer.body)).toEqual([0, 0, 255]);
  });

  test('that is not there: 404 with its name, and its folder is not told apart from a missing one', async () => {
    const answer = await get('/t/w_64~l_brand:gone.png/photo.jpg');
    expect([answer.status, answer.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'file_not_found', message: 'There is no file "brand/gone.png" for a layer.' }),
    ]);
  });

  test('that cannot be decoded: 422 with its name', async () => {
    const answer = await get('/t/w_64~l_brand:words.png/photo.jpg');
    expect([answer.status, answer.json().message]).toEqual([
      422,
      'The layer "brand/words.png" cannot be decoded as an image.',
    ]);
  });

  test('that is no picture by its name: 400', async () => {
    const answer = await get('/t/w_64~l_clip.mp4/photo.jpg');
    expect([answer.status, answer.json().message]).toEqual([
      400,
      'Expected an image as a layer, as in l_brand:logo.png, received "clip.mp4", whose type is video.',
    ]);
  });

  test('that asks for what no layer can do: 404 that says so', async () => {
    const answer = await get('/t/w_64~l_brand:logo.png,q_80/photo.jpg');
    expect([answer.status, answer.json().message]).toEqual([
      404,
      expect.stringContaining('in the layer l_brand:logo.png, there is no parameter "q"'),
    ]);
  });

  test.each([
    ['w_64,l_brand:logo.png/photo.jpg', 'layers stand behind "~", as in w_800~l_logo.png, received "l_brand:logo.png"'],
    ['w_64~brand:logo.png/photo.jpg', 'layers stand behind "~", as in w_800~l_logo.png, received "brand:logo.png"'],
    ['w_64/l_brand:logo.png/photo.jpg', 'as in "w_64~l_brand:logo.png/photo.jpg"'],
    ['l_brand:logo.png,zoom_3/photo.jpg', 'in the layer l_brand:logo.png, there is no parameter "zoom"'],
  ])('that is written wrongly: 404 that says how to: %s', async (path, hint) => {
    const answer = await get(`/t/${path}`);
    expect([answer.status, answer.json().message]).toEqual([404, expect.stringContaining(hint)]);
  });

  test('leaves other folders with a wave in their name alone', async () => {
    expect((await get('/t/archive~2024/photo.jpg')).json().message).toBe('There is no file "archive~2024/photo.jpg".');
  });

  test('leaves folders that have such a name reachable', async () => {
    const answer = await get('/t/w_10~l_inside.png/file.jpg');
    expect([answer.status, answer.body.toString()]).toEqual([200, 'the original']);
  });

  test('is among the tags of the answer', async () => {
    const path = '/t/w_63,f_png~l_brand:logo.png/photo.jpg';
    const tags = new Set([...cacheTagsOf(parsePath('photo.jpg')), ...cacheTagsOf(parsePath('brand/logo.png'))]);
    for (let time = 0; time < 3; time++) expect((await get(path)).headers['cache-tag']).toBe([...tags].join(','));
    const { etag } = (await get(path)).headers;
    expect((await get(path, { 'if-none-match': etag })).headers['cache-tag']).toBe([...tags].join(','));
  });
});

describe('a layer whose file is changed', () => {
  const path = '/t/w_50,f_png~l_brand:mark.png,g_nw/photo.jpg';
  const wasShort = () => shortWay.mock.results.at(-1)?.value !== undefined;

  test('is seen at once, also where the answer had been prepared', async () => {
    const upload = async (...colour: [number, number, number]) => {
      const { status } = await service.upload({ 'mark.png': await square(...colour) }, { folder: 'brand' });
      expect(status).toBe(200);
    };
    await upload(255, 0, 0);
    const first = await get(path);
    expect(await topLeft(first.body)).toEqual([255, 0, 0]);
    await get(path);
    expect((await get(path)).headers.etag).toBe(first.headers.etag);
    expect(wasShort(), 'the answer is prepared').toBe(true);

    await service.authorized('/storage/brand/mark.png', { method: 'DELETE' });
    const gone = await get(path);
    expect([gone.status, gone.json().code]).toEqual([404, 'file_not_found']);

    await upload(0, 0, 255);
    const second = await get(path);
    expect([second.status, second.headers['x-cache']]).toEqual([200, 'miss']);
    expect(second.headers.etag).not.toBe(first.headers.etag);
    expect(await topLeft(second.body)).toEqual([0, 0, 255]);
    expect((await get(path, { 'if-none-match': first.headers.etag })).status).toBe(200);
  });
});

describe('layers are part of every way to ask for a picture', () => {
  const SECRET = 'a-secret-of-layers-0123456789';
  let strict: TestService;
  beforeAll(async () => {
    const environment = { DELIVERY_MODE: 'signed', API_SECRET: SECRET, PUBLIC_RATE_LIMIT_MAX: '0' };
    strict = await startService({ ...environment, PRESETS: 'marked=w_64,f_png~l_brand:logo.png,g_north_west' });
    await strict.place('photo.jpg', fixture('concert.jpg'));
    await strict.place('brand/logo.png', await square(255, 0, 0));
    await strict.place('a/b, c.png', await square(0, 0, 255));
  });
  afterAll(() => strict.close());

  const sign = async (transformation: string) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ path: 'photo.jpg', transformation });
    const answer = await strict.authorized('/delivery/sign', { method: 'POST', headers, body });
    return [answer.status, (await answer.json()) as { url: string }] as const;
  };

  test('signed: the signature is of the layers too', async () => {
    const [status, { url }] = await sign('w_64,f_png~l_a:b%2C c.png,g_north_west');
    expect(status).toBe(200);
    const { pathname } = new URL(url, strict.url);
    const answer = await ask(strict.url, pathname);
    expect([answer.status, await topLeft(answer.body)]).toEqual([200, [0, 0, 255]]);
    expect((await ask(strict.url, pathname.replace('b%252C%20c.png', 'bc.png'))).status).toBe(401);
    expect((await ask(strict.url, '/t/w_64,f_png~l_brand:logo.png/photo.jpg')).status).toBe(401);
  });

  test('a slash in a text is carried by a signed URL', async () => {
    const [status, { url }] = await sign('w_64,f_png~l_text:a/b');
    expect(status).toBe(200);
    expect((await ask(strict.url, new URL(url, strict.url).pathname)).status).toBe(200);
  });

  test('prewarmed: an upload renders them, and names the URL', async () => {
    const form = new FormData();
    form.append('transformations', 'w_33,f_png~l_brand:logo.png,g_nw');
    form.append('files', new Blob([new Uint8Array(fixture('concert.jpg'))]), 'warm.jpg');
    const response = await service.authorized('/upload', { method: 'POST', body: form });
    const { files } = (await response.json()) as { files: { prewarmedUrls: string[] }[] };
    expect(files[0]?.prewarmedUrls).toEqual(['/t/w_33,f_png~l_brand:logo.png,g_nw/warm.jpg']);
    const answer = await get(files[0]?.prewarmedUrls[0] ?? '');
    expect([answer.headers['x-cache'], await topLeft(answer.body)]).toEqual(['hit', [255, 0, 0]]);
  });
});
