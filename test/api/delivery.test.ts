import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Asking, ask, askRaw, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
const get = (path: string, asking?: Asking) => ask(service.url, path, asking);

const concert = fixture('concert.jpg');

const place: TestService['place'] = (name, bytes) => service.place(name, bytes);

beforeAll(async () => {
  service = await startService();
  await place('a/b.jpg', concert);
});
afterAll(() => service.close());

describe('a bare URL', () => {
  const types: [string, string][] = [
    ['photo.jpg', 'image/jpeg'],
    ['PHOTO.JPEG', 'image/jpeg'],
    ['picture.PnG', 'image/png'],
    ['film.MP4', 'video/mp4'],
    ['film.mov', 'video/quicktime'],
    ['sound.Ogg', 'audio/ogg'],
    ['sound.wav', 'audio/wav'],
    ['sound.mp3', 'audio/mpeg'],
    ['model.GLB', 'model/gltf-binary'],
    ['model.gltf', 'model/gltf+json'],
    ['paper.pdf', 'application/pdf'],
    ['page.html', 'application/octet-stream'],
    ['picture.svg', 'application/octet-stream'],
    ['without-extension', 'application/octet-stream'],
  ];
  test.each(types)('streams %s untouched as %s', async (name, type) => {
    await place(name, `bytes of ${name}`);
    const answer = await get(`/t/${name}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(type);
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, must-revalidate');
    expect(answer.headers['accept-ranges']).toBe('bytes');
    expect(answer.headers['x-cache']).toBeUndefined();
    expect(answer.headers.vary).toBeUndefined();
    expect(answer.body.toString()).toBe(`bytes of ${name}`);
  });

  test('gives an image byte for byte, a query does not matter, and neither do empty segments', async () => {
    for (const path of ['/t/a/b.jpg', '/t/a/b.jpg?v=2', '/t//a//b.jpg', '/t/a/b.jpg/', '/api/t/a/b.jpg']) {
      const answer = await get(path);
      expect(answer.status, path).toBe(200);
      expect(answer.body.equals(concert), path).toBe(true);
    }
  });

  test('of an empty file gives no bytes', async () => {
    await place('empty.txt', '');
    const answer = await get('/t/empty.txt');
    expect([answer.status, answer.headers['content-length'], answer.body.length]).toEqual([200, '0', 0]);
  });

  test('answers the same for a request line in absolute form, as proxies write it', async () => {
    const { host } = new URL(service.url);
    const head = await askRaw(
      service.url,
      `HEAD ${service.url}/t/a/b.jpg HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(head).toContain('HTTP/1.1 200 OK');
    expect(head).toContain(`Content-Length: ${concert.length}\r\n`);
  });
});

describe('names', () => {
  const names = [
    'with space.jpg',
    'a,b&c@d.jpg',
    "quote ' and (parentheses) [brackets].jpg",
    'plus+and=equals;colon:.jpg',
    'percent%25.jpg',
    'hash#and?.jpg',
    'emoji 😀 日本語.jpg',
    'my_folder/w_300_photo.jpg',
    'w_holiday/h_x,c_fill/photo.jpg',
    'f_psd/photo.jpg',
    '..hidden..jpg',
    '...',
    `${'x'.repeat(251)}.jpg`,
  ];
  test.each(names)('%s is delivered', async (name) => {
    await place(name, `bytes of ${name}`);
    const answer = await get(`/t/${name.split('/').map(encodeURIComponent).join('/')}`);
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toBe(`bytes of ${name}`);
  });

  test('a decomposed name in a URL finds the composed one', async () => {
    await place('caf\u00e9/\u00fcber.txt', 'composed');
    for (const form of ['NFC', 'NFD'] as const) {
      const path = 'caf\u00e9/\u00fcber.txt'.normalize(form).split('/').map(encodeURIComponent).join('/');
      expect((await get(`/t/${path}`)).body.toString(), form).toBe('composed');
    }
  });

  test('characters that need no encoding may be encoded, and the transformation too', async () => {
    expect((await get('/t/%61/%62%2Ejpg')).body.equals(concert)).toBe(true);
    const answer = await get('/t/w%5F10%2Ch_10%2Cf_png/a/b.jpg');
    expect(await sizeOf(answer.body)).toEqual({ format: 'png', width: 10, height: 10 });
  });
});

describe('a transformation', () => {
  test.each(['paper.pdf', 'sound.mp3', 'sound.wav', 'sound.ogg', 'model.glb', 'model.gltf', 'page.html'])(
    'of %s is 400 and points at the bare URL',
    async (name) => {
      await place(`some folder/${name}`, 'bytes');
      const answer = await get(`/t/w_100/some%20folder/${name}`);
      expectProblem(answer, 400);
      expect(answer.json().message).toContain(`/t/some%20folder/${name}`);
    },
  );

  test.each([
    ['w_0', 'w', '1 to 8192', '0'],
    ['w_99999', 'w', '1 to 8192', '99999'],
    ['h_0', 'h', '1 to 8192', '0'],
    ['q_0', 'q', '1 to 100', '0'],
    ['q_101', 'q', '1 to 100', '101'],
    ['w_100,q_101', 'q', '1 to 100', '101'],
    ['ar_0:1', 'ar', '', '0:1'],
  ])(
    '%s is 400 and names the parameter, what was expected and what was received',
    async (segment, key, expected, received) => {
      const answer = await get(`/t/${segment}/a/b.jpg`);
      expectProblem(answer, 400);
      expect(answer.json().message).toMatch(new RegExp(`"${key}".*expected.*${expected}.*"${received}"`));
    },
  );

  test.each([
    ['f_png', 'png'],
    ['f_jpg', 'jpeg'],
    ['f_jpeg', 'jpeg'],
    ['f_webp', 'webp'],
    ['f_avif', 'heif'],
    ['f_gif', 'gif'],
  ])('with %s gives that format, its type and the exact length', async (segment, format) => {
    const answer = await get(`/t/w_40,h_30,${segment}/a/b.jpg`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(`image/${format === 'heif' ? 'avif' : format}`);
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, must-revalidate');
    expect(await sizeOf(answer.body)).toEqual({ format, width: 40, height: 30 });
  });

  test('answers below /api as well', async () => {
    const answer = await get('/api/t/w_40,h_30,f_png/a/b.jpg');
    expect(await sizeOf(answer.body)).toEqual({ format: 'png', width: 40, height: 30 });
  });

  test('shows the pixels of the original', async () => {
    const left = { create: { width: 100, height: 100, channels: 3, background: '#ff0000' } } as const;
    const right = await sharp({ ...left, create: { ...left.create, background: '#0000ff' } })
      .png()
      .toBuffer();
    const halves = sharp({ create: { ...left.create, width: 200 } }).composite([{ input: right, left: 100, top: 0 }]);
    await place('halves.png', await halves.png().toBuffer());
    const { body } = await get('/t/w_20,h_10,c_scale,f_png/halves.png');
    const pixels = await sharp(body).removeAlpha().raw().toBuffer();
    expect([...pixels.subarray(0, 3)]).toEqual([255, 0, 0]);
    expect([...pixels.subarray(-3)]).toEqual([0, 0, 255]);
  });
});

async function sizeOf(bytes: Buffer) {
  const { format, width, height } = await sharp(bytes).metadata();
  return { format, width, height };
}

function expectProblem(answer: Awaited<ReturnType<typeof ask>>, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.headers['content-length']).toBe(String(answer.body.length));
  expect(answer.json()).toEqual({ error: expect.any(String), code: expect.any(String), message: expect.any(String) });
  expect(answer.body.toString()).not.toContain(service.data);
}
