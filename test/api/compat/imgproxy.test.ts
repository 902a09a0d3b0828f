import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signImgproxy } from '../../../src/auth/signature.ts';
import { readConfig } from '../../../src/config.ts';
import { Contract } from '../../contract.ts';
import { type Answer, ask, fixture } from '../../http.ts';
import { bytes, startPlace } from '../../old-place.ts';
import { startService, TEST_KEY, type TestService } from '../../service.ts';

const KEYS = [
  {
    key: '943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881',
    salt: '520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5',
  },
  { key: 'aabbcc', salt: '00ff' },
] as const;
const IMGPROXY_KEY = KEYS.map(({ key }) => key).join(',');
const IMGPROXY_SALT = KEYS.map(({ salt }) => salt).join(',');

let service: TestService;
let signed: TestService;
beforeAll(async () => {
  service = await startService({ COMPAT: 'imgproxy', PRESETS: 'sharp=w_30,f_webp' });
  await service.place('blog/cover.jpg', fixture('concert.jpg'));
  await service.place('a b@c.png', fixture('flag-alpha.png'));
  await service.place('squares.gif', fixture('rotating-squares.gif'));
  signed = await startService({
    COMPAT: 'cloudinary,imgproxy',
    IMGPROXY_KEY,
    IMGPROXY_SALT,
    DATA_DIR: service.data,
  });
});
afterAll(async () => {
  await signed.close();
  await service.close();
});

const get = (path: string, headers: Record<string, string> = {}, at = service) => ask(at.url, path, { headers });
const sign = (rest: string, key = KEYS[0]) => `/${signImgproxy(rest, key)}${rest}`;

async function shapeOf({ body }: Answer): Promise<string> {
  const { format, width, pageHeight, height } = await sharp(body, { animated: true }).metadata();
  return `${format} ${width}x${pageHeight ?? height}`;
}

const L = 'plain/local:///blog/cover.jpg';

test.each([
  [`/insecure/rs:fill:40:30/${L}`, 'jpeg 40x30'],
  [`/_/rs:fit:40:40/${L}@webp`, 'webp 40x27'],
  [`/unsafe/s:40/pd:5/bg:ff0000/${Buffer.from('local:///blog/cover.jpg').toString('base64url')}.png`, 'png 50x37'],
  [`/insecure/rs:fit:40:40:0:1/${L}`, 'jpeg 40x40'],
  ['/insecure/w:30/plain/s3://media/a%20b%40c.png', 'png 30x20'],
  ['/insecure/w:30/plain/local:///squares.gif', 'gif 30x30'],
  [`/insecure/pr:sharp/${L}`, 'webp 30x20'],
])('%s is %s', async (url, shape) => {
  const answer = await get(url);
  expect([answer.status, answer.status === 200 ? await shapeOf(answer) : answer.body.toString()]).toEqual([200, shape]);
});

test('the answer is that of /t/, with what is ignored and similar in headers', async () => {
  const own = await get('/t/w_44,h_33,el_false,g_center,f_jpeg/blog/cover.jpg');
  const answer = await get(`/insecure/rs:fill:44:33/sm:1/${L}`);
  expect(answer.headers).toMatchObject({
    etag: own.headers.etag,
    'x-cache': 'hit',
    'cache-control': own.headers['cache-control'],
    'darkroom-ignored': 'sm:1',
    'darkroom-approximate': expect.stringMatching(/^fill \(/),
  });
  expect((await get(`/insecure/rs:fill:44:33/sm:1/${L}`, { 'if-none-match': own.headers.etag ?? '' })).status).toBe(
    304,
  );
});

test('what is unknown is 400 and named, what is not there 404, and other paths are as before', async () => {
  for (const part of ['wm:1', 'rs:auto:30:30', 'nonsense:1']) {
    const answer = await get(`/insecure/${part}/${L}`);
    expect([answer.status, answer.json().code]).toEqual([400, 'untranslatable']);
    expect(part).toContain((/received "([^"]+)"/.exec(String(answer.json().message)) ?? [])[1]);
  }
  expect((await get('/insecure/w:30/plain/https://example.com/a.jpg')).json().code).toBe('untranslatable');
  expect((await get('/insecure/w:30/plain/local:///../a.jpg')).status).toBe(400);
  expect((await get('/insecure/w:30/plain/local:///none.jpg')).json().code).toBe('file_not_found');
  expect((await get('/nothing/w:30/plain/local:///none.jpg')).json().code).toBe('unknown_endpoint');
  expect((await get('/t/blog/cover.jpg')).status).toBe(200);
});

describe('with a key', () => {
  test('only what one of the keys has signed is answered', async () => {
    const rest = `/w:41/${L}`;
    expect(signImgproxy(rest, KEYS[0])).toMatch(/^[\w-]{43}$/);
    for (const key of KEYS) expect((await get(sign(rest, key as (typeof KEYS)[0]), {}, signed)).status).toBe(200);
    for (const url of [`/insecure${rest}`, sign(rest).replace('w:41', 'w:42'), `/${'a'.repeat(43)}${rest}`]) {
      const answer = await get(url, {}, signed);
      expect([answer.status, answer.json().code]).toEqual([401, 'wrong_signature']);
    }
  });

  test('the signature is that of the documentation of imgproxy, with the key and the salt there', () => {
    const rest = '/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png';
    const pair = { key: '736563726574', salt: '68656c6c6f' };
    expect(signImgproxy(rest, pair)).toBe('oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8');
  });

  test('a URL ends when it says so, and no cache keeps it longer', async () => {
    const soon = Math.floor(Date.now() / 1000) + 3600;
    const answer = await get(sign(`/exp:${soon}/w:41/${L}`), {}, signed);
    expect([answer.status, answer.headers['cache-control']]).toEqual([
      200,
      expect.stringMatching(/^private, max-age=3[56]\d\d$/),
    ]);
    expect((await get(sign(`/exp:1000/w:41/${L}`), {}, signed)).status).toBe(404);
  });

  test('the signature is enough where only signed URLs deliver, and where presets do', async () => {
    for (const mode of ['signed', 'presets']) {
      const closed = await startService({
        COMPAT: 'imgproxy',
        IMGPROXY_KEY,
        IMGPROXY_SALT,
        DELIVERY_MODE: mode,
        PRESETS: 'sharp=w_30',
        API_SECRET: 'a-secret-of-sixteen-characters',
        DATA_DIR: service.data,
      });
      expect((await get(sign(`/w:43/${L}`), {}, closed)).status).toBe(200);
      const pending = await get(sign('/w:30/plain/local:///squares.gif@mp4'), {}, closed);
      expect(pending.status).toBe(202);
      expect((await get(String(pending.json().statusUrl), {}, closed)).status).toBe(200);
      expect((await get('/t/w_43/blog/cover.jpg', {}, closed)).status).toBe(mode === 'signed' ? 401 : 403);
      await closed.close();
    }
  });

  test('keys without salts, of another form or without the service end the start', () => {
    const compat = { COMPAT: 'imgproxy' };
    expect(() => readConfig({ ...compat, IMGPROXY_KEY: 'aabb' })).toThrow(/^IMGPROXY_SALT: expected a value/);
    expect(() => readConfig({ ...compat, IMGPROXY_KEY: 'xyz', IMGPROXY_SALT: 'aa' })).toThrow(
      /^IMGPROXY_KEY: expected bytes in hexadecimal digits, .* received a value of 3 characters$/,
    );
    expect(() => readConfig({ ...compat, IMGPROXY_KEY: 'aa,bb', IMGPROXY_SALT: 'aa' })).toThrow(/as many salts/);
    expect(() => readConfig({ IMGPROXY_KEY: 'aa', IMGPROXY_SALT: 'aa' })).toThrow(/^COMPAT: expected imgproxy/);
    const signedMode = { DELIVERY_MODE: 'signed', API_SECRET: 'a-secret-of-sixteen-characters' };
    expect(() => readConfig({ ...compat, ...signedMode })).toThrow(/^IMGPROXY_KEY: expected a value/);
  });
});

describe('files that are still at an old host', () => {
  let old: Awaited<ReturnType<typeof startPlace>>;
  let moving: TestService;
  beforeAll(async () => {
    old = await startPlace();
    moving = await startService({
      COMPAT: 'cloudinary,imgproxy',
      ORIGINS: `photos=${old.url}/uploads`,
      DELIVERY_MODE: 'presets',
      PRESETS: 'small=w_30',
    });
  });
  afterAll(async () => {
    old.close();
    await moving.close();
  });
  const authorization = `Bearer ${TEST_KEY}`;
  const small = (source: string) => get(`/insecure/pr:small/plain/${source}`, {}, moving);

  test('are fetched once when their URLs are first asked for, and are originals from then on', async () => {
    old.answers['/uploads/2019/no%20face.jpg'] = bytes(fixture('no-face.jpg'));
    const source = `plain/${old.url}/uploads/2019/no%2520face.jpg`;
    const widths = [31, 32, 33, 34];
    const urls = widths.map((width) => `/insecure/w:${width}/${source}@webp`);
    const pictures = await Promise.all(urls.map((url) => get(url, { authorization }, moving)));
    const shapes = await Promise.all(pictures.map(shapeOf));
    expect(shapes).toEqual(widths.map((width) => expect.stringMatching(`^webp ${width}x`)));
    expect(old.asked).toEqual(['/uploads/2019/no%20face.jpg']);

    delete old.answers['/uploads/2019/no%20face.jpg'];
    const again = await small(`${old.url}/uploads/2019/no%2520face.jpg`);
    const own = await get('/t/n_small/photos/2019/no%20face.jpg', {}, moving);
    expect([again.status, again.headers.etag]).toEqual([200, own.headers.etag]);
    expect(old.asked).toHaveLength(1);
  });

  test('are fetched by their names here as well, and by those of Cloudinary', async () => {
    for (const name of ['a.png', 'b.png']) old.answers[`/uploads/${name}`] = bytes(fixture('flag-alpha.png'));
    expect((await small('local:///photos/a.png')).status).toBe(200);
    expect((await get('/demo/image/upload/t_small/photos/b.png', {}, moving)).status).toBe(200);
  });

  test('are not fetched for those who may not have them, nor from elsewhere', async () => {
    old.asked.length = 0;
    const refused = await get(`/insecure/w:35/plain/${old.url}/uploads/c.jpg`, {}, moving);
    expect([refused.status, refused.json().code]).toEqual([403, 'preset_required']);
    for (const path of ['/c.jpg', '/uploadsc.jpg', '/uploads/../c.jpg', '/uploads/c.jpg%3Fv=1']) {
      const { status, ...answer } = await small(old.url + path);
      expect([path, status, answer.json().code]).toEqual([path, 400, 'untranslatable']);
    }
    expect(old.asked).toEqual([]);
    expect((await small(`${old.url}/uploads/c.jpg`)).json().code).toBe('file_not_found');
    expect(old.asked).toEqual(['/uploads/c.jpg']);
  });
});

test('the document names the endpoint, and Cloudinary is answered beside it', async () => {
  const document = (await (await signed.authorized('/api/openapi.json')).json()) as Record<string, unknown>;
  const contract = new Contract(document);
  const operation = contract.operations.find(({ operationId }) => operationId === 'getImgproxyPicture');
  for (const url of [sign(`/w:41/${L}`), sign(`/wm:1/${L}`), `/insecure/w:41/${L}`]) {
    expect(operation && contract.objection(operation, await get(url, {}, signed))).toBeUndefined();
  }
  expect(operation).toBeDefined();
  expect((await get('/demo/image/upload/w_40/blog/cover', {}, signed)).status).toBe(200);
});
