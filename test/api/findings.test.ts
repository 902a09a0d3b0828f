import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Returns red, 40 x 20, within a white border of its own width on each side. */
async function framed(border: number): Promise<Buffer> {
  const red = sharp({ create: { width: 40, height: 20, channels: 3, background: 'red' } });
  const ends = { left: border, right: border, top: border, bottom: border };
  return red
    .extend({ ...ends, background: 'white' })
    .png()
    .toBuffer();
}

test.each(['e_blur_faces', 'e_pixelate_faces', 'w_20,e_blur_faces:3'])(
  'a damaged picture whose faces are to be hidden is not shown in the place of its result: %s',
  async (segment) => {
    const whole = fixture('portrait-face.jpg');
    await service.place('damaged.jpg', whole.subarray(0, whole.length / 2));
    const { status, headers, json } = await ask(service.url, `/t/${segment}/damaged.jpg`);
    expect([status, headers['x-transform-fallback'], json().code]).toEqual([422, undefined, 'unprocessable_media']);
    expect((await ask(service.url, '/t/w_20/damaged.jpg')).headers['x-transform-fallback']).toBe('original');
  },
);

const sizeOf = async (path: string) => {
  const { width, height } = await sharp((await ask(service.url, path)).body).metadata();
  return `${width}x${height}`;
};

test('the border of a picture is found for its first request, and again after it was replaced', async () => {
  await service.place('framed.png', await framed(10));
  expect(await sizeOf('/t/tr,f_png/framed.png')).toBe('40x20');
  expect(await sizeOf('/t/tr_10,w_20,f_png/framed.png'), 'the same tolerance').toBe('20x10');
  await service.place('framed.png', await framed(30));
  service.services.originals.invalidate();
  expect(await sizeOf('/t/tr,f_png/framed.png')).toBe('40x20');
});

test('a border is told from the picture by the tolerance, which is part of what is found', async () => {
  const shades = sharp({ create: { width: 40, height: 20, channels: 3, background: '#f0f0f0' } });
  const ends = { left: 10, right: 10, top: 10, bottom: 10 };
  await service.place(
    'pale.png',
    await shades
      .extend({ ...ends, background: 'white' })
      .png()
      .toBuffer(),
  );
  expect(await sizeOf('/t/tr_1,f_png/pale.png')).toBe('40x20');
  expect(await sizeOf('/t/tr_10,f_png/pale.png')).toBe('60x40');
});

test('tr is spelled out with its ordinary tolerance or not, and has no value beyond 100', async () => {
  await service.place('spelled.png', await framed(10));
  expect((await ask(service.url, '/t/tr_10,f_png/spelled.png')).headers['x-cache']).toBe('miss');
  expect((await ask(service.url, '/t/tr,f_png/spelled.png')).headers['x-cache']).toBe('hit');
  const beyond = await ask(service.url, '/t/tr_101/spelled.png');
  expect([beyond.status, beyond.json().message]).toEqual([
    400,
    'Parameter "tr": expected a whole number from 1 to 100, received "101".',
  ]);
});

describe('people without their background', () => {
  const get = (path: string, accept = '*/*') => ask(service.url, path, { headers: { accept } });
  const alphaOf = async (body: Buffer) => (await sharp(body).ensureAlpha().extractChannel(3).raw().toBuffer())[0];
  beforeAll(async () => {
    await service.place('ada.jpg', fixture('portrait-face.jpg'));
    await service.place('crowd.jpg', fixture('concert.jpg'));
  });

  test('are found once for all sizes', async () => {
    const kept = async () => (await service.cachedFiles()).filter((name) => name.endsWith('.json')).length;
    const before = await kept();
    for (const segment of ['w_90,e_cutout', 'w_60,e_cutout', 'w_60,a_90,e_cutout']) {
      expect((await get(`/t/${segment}/ada.jpg`)).headers['x-cache']).toBe('miss');
    }
    expect(await kept()).toBe(before + 1);
  });

  test('come in the newest format that the client takes, with transparency', async () => {
    for (const [accept, type] of [
      ['image/avif,image/webp,*/*', 'image/avif'],
      ['image/webp,*/*', 'image/webp'],
      ['*/*', 'image/png'],
    ] as const) {
      const { status, headers, body } = await get('/t/w_80,e_cutout/ada.jpg', accept);
      expect([status, headers['content-type'], headers.vary]).toEqual([200, type, 'Accept']);
      expect(await alphaOf(body)).toBe(0);
    }
    expect((await get('/t/w_80,e_cutout/crowd.jpg')).headers['content-type']).toBe('image/jpeg');
  });

  test('have a key of their own, however it is spelled; false is the picture itself', async () => {
    const etagOf = async (segment: string) => (await get(`/t/${segment}/ada.jpg`)).headers.etag;
    const cut = await etagOf('w_70,f_png,e_cutout');
    const spelled = await etagOf('e_cutout:true,f_png,w_70');
    const whole = await etagOf('w_70,f_png');
    const not = await etagOf('w_70,f_png,e_cutout:false');
    expect([spelled, not]).toEqual([cut, whole]);
    expect(cut).not.toBe(whole);
  });

  test('are no parameter of a layer', async () => {
    const answer = await get('/t/w_70~l_ada.jpg,e_cutout/crowd.jpg');
    expect([answer.status, answer.json().message]).toEqual([404, expect.stringContaining('in the layer l_ada.jpg')]);
  });
});
