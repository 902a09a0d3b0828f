import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { plainPage, tiffOf } from '../pictures/tiff-sample.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ EXTRA_TYPES: 'tiff', MAX_INPUT_MEGAPIXELS: '1' });
  service.services.describing?.start();
});
afterAll(() => service.close());

const RED = [255, 0, 0];
const GREEN = [0, 128, 0];
const BLUE = [0, 0, 255];

async function pixelOf(path: string, left = 2, top = 2) {
  const { status, body } = await ask(service.url, path);
  expect(status, body.toString('latin1', 0, 300)).toBe(200);
  const { data, info } = await sharp(body).raw().toBuffer({ resolveWithObject: true });
  const at = (top * info.width + left) * info.channels;
  return { colour: [...data.subarray(at, at + info.channels)], width: info.width, height: info.height };
}

test('a TIFF is uploaded, delivered as it is, and rendered', async () => {
  const bytes = tiffOf(plainPage(40, 30, RED));
  const answer = await service.upload({ 'a.tif': bytes, 'b.TIFF': bytes });
  expect(answer.status).toBe(200);
  const original = await ask(service.url, '/t/a.tif');
  expect([original.status, original.headers['content-type'], original.body.equals(bytes)]).toEqual([
    200,
    'image/tiff',
    true,
  ]);
  expect(await pixelOf('/t/w_20,f_png/b.TIFF')).toEqual({ colour: RED, width: 20, height: 15 });
  const negotiated = await ask(service.url, '/t/w_20/a.tif', { headers: { accept: 'image/webp' } });
  expect(negotiated.headers['content-type']).toBe('image/webp');
});

test('one whose directory is at its end is uploaded, too, and no raw picture of a camera', async () => {
  const large = tiffOf(plainPage(100, 100, RED));
  const raw = Buffer.concat([Buffer.from('II*\0\x10\0\0\0CR\x02\0', 'latin1'), Buffer.alloc(5000)]);
  expect((await service.upload({ 'large.tif': large })).status).toBe(200);
  expect((await service.upload({ 'raw.tif': raw })).status).toBe(400);
});

test('pg names a page, each of its own size', async () => {
  await service.place('pages.tif', tiffOf(plainPage(40, 30, RED), plainPage(20, 60, GREEN), plainPage(50, 50, BLUE)));
  expect(await pixelOf('/t/f_png/pages.tif')).toEqual({ colour: RED, width: 40, height: 30 });
  expect(await pixelOf('/t/pg_2,f_png/pages.tif')).toEqual({ colour: GREEN, width: 20, height: 60 });
  expect(await pixelOf('/t/pg_3,f_png/pages.tif')).toEqual({ colour: BLUE, width: 50, height: 50 });
  const [first, aloud] = await Promise.all(
    ['f_png', 'pg_1,f_png'].map((text) => ask(service.url, `/t/${text}/pages.tif`)),
  );
  expect(aloud?.headers.etag).toBe(first?.headers.etag);
});

test.each(['pg_4', 'pg_4,g_face,w_10,h_10', 'pg_10000,f_webp'])(
  '%s beyond the last page is 400, and says how many there are',
  async (text) => {
    await service.place('three.tif', tiffOf(...[RED, GREEN, BLUE].map((colour) => plainPage(20, 20, colour))));
    const { status, json } = await ask(service.url, `/t/${text}/three.tif`);
    expect([status, json().message]).toEqual([400, expect.stringContaining('from 1 to 3')]);
  },
);

test('regions of interest are those of the page', async () => {
  const side = (left: number) => {
    const page = plainPage(120, 40, [255, 255, 255]);
    const samples = Buffer.from(page.samples);
    for (let y = 5; y < 35; y++)
      for (let x = left; x < left + 30; x++)
        if ((x + y) % 3 === 0) samples.fill(0, (y * 120 + x) * 3, (y * 120 + x) * 3 + 3);
    return { ...page, samples };
  };
  await service.place('interest.tif', tiffOf(side(5), side(85)));
  const darkOf = async (text: string) => {
    const { body } = await ask(service.url, `/t/${text}/interest.tif`);
    return (await sharp(body).greyscale().stats()).channels[0]?.mean ?? 255;
  };
  const first = await darkOf('w_40,h_40,g_auto,f_png');
  const second = await darkOf('pg_2,w_40,h_40,g_auto,f_png');
  expect(Math.max(first, second)).toBeLessThan(220);
});

test('is turned upright by its orientation', async () => {
  const samples = Buffer.alloc(40 * 20 * 3, Buffer.from(RED));
  samples.fill(Buffer.from(BLUE), 0, 20 * 20 * 0 + 40 * 10 * 3);
  await service.place(
    'turned.tif',
    tiffOf({ width: 40, height: 20, samples, channels: 3, photometric: 2, orientation: 6 }),
  );
  expect(await pixelOf('/t/f_png/turned.tif', 2, 20)).toEqual({ colour: RED, width: 20, height: 40 });
  expect((await pixelOf('/t/f_png/turned.tif', 17, 20)).colour).toEqual(BLUE);
});

test.each([
  ['grey', plainPage(20, 20, [128], { photometric: 1 }), [128, 128, 128]],
  [
    'grey of 16 bits',
    { ...plainPage(20, 20, [0xff, 0x7f], { photometric: 1 }), channels: 1, bits: 16 } as const,
    [128, 128, 128],
  ],
  [
    'RGB of 16 bits',
    { ...plainPage(20, 20, [0, 0xc8, 0, 0x64, 0, 0x32]), channels: 3, bits: 16 } as const,
    [200, 100, 50],
  ],
  ['CMYK without ink', plainPage(20, 20, [0, 0, 0, 0], { photometric: 5 }), [255, 255, 255]],
])('%s is shown in its colours', async (what, page, expected) => {
  const name = `${what.replaceAll(' ', '-')}.tif`;
  await service.place(name, tiffOf(page));
  const { colour } = await pixelOf(`/t/f_png/${name}`);
  const shown = colour.length < 3 ? [colour[0], colour[0], colour[0]] : colour;
  for (const [index, value] of expected.entries()) expect(Math.abs((shown[index] ?? 0) - value)).toBeLessThanOrEqual(1);
});

test('keeps its alpha', async () => {
  await service.place('alpha.tif', tiffOf(plainPage(20, 20, [200, 100, 50, 128], { hasAlpha: true })));
  const answer = await ask(service.url, '/t/w_10/alpha.tif');
  expect(answer.headers['content-type']).toBe('image/png');
  expect((await pixelOf('/t/f_png/alpha.tif')).colour).toEqual([200, 100, 50, 128]);
});

test('as many pixels as the limit for all pictures', async () => {
  await service.place('large.tif', tiffOf(plainPage(1001, 1000, [1], { photometric: 1 })));
  const { status, json } = await ask(service.url, '/t/w_10/large.tif');
  expect([status, json().message]).toEqual([400, expect.stringContaining('MAX_INPUT_MEGAPIXELS')]);
});

test('a damaged one is 422, not the file in the place of a picture', async () => {
  const whole = tiffOf(plainPage(40, 30, RED), plainPage(40, 30, BLUE));
  await service.place('cut.tif', whole.subarray(0, 600));
  await service.place('start.tif', Buffer.from('II*\0\x08\0\0\0\0\0\0\0\0\0'));
  for (const name of ['cut.tif', 'start.tif']) {
    const { status, headers, json } = await ask(service.url, `/t/w_20/${name}`);
    expect([name, status, headers['x-transform-fallback'], json().code]).toEqual([
      name,
      422,
      undefined,
      'unprocessable_media',
    ]);
  }
});

test.each([
  ['whole numbers', { ...plainPage(20, 20, [0, 0, 0, 0x80], { photometric: 1 }), channels: 1, bits: 32 }],
  ['colours', { ...plainPage(20, 20, new Array(12).fill(0x80)), channels: 3, bits: 32 }],
  [
    'numbers with a point',
    { ...plainPage(20, 20, [0, 0, 0, 0x3f], { photometric: 1, isFloat: true }), channels: 1, bits: 32 },
  ],
] as const)('samples of 32 bits are 422, and not black: %s', async (name, page) => {
  const path = `${name.replaceAll(' ', '-')}.tif`;
  await service.place(path, tiffOf(page));
  const { status, json } = await ask(service.url, `/t/f_png/${path}`);
  expect([status, json().message]).toEqual([422, 'The TIFF has samples of 32 bits; expected 16 at most.']);
});

test('one whose directories form a ring has an end', async () => {
  const ring = tiffOf(plainPage(10, 10, RED), plainPage(10, 10, BLUE));
  ring.writeUInt32LE(ring.readUInt32LE(4), ring.length - 4);
  await service.place('ring.tif', ring);
  expect([200, 422]).toContain((await ask(service.url, '/t/f_png,w_5/ring.tif')).status);
  expect([400, 422]).toContain((await ask(service.url, '/t/pg_9999,f_png/ring.tif')).status);
});

test('can be laid over a picture', async () => {
  await service.place(
    'below.png',
    await sharp({ create: { width: 60, height: 60, channels: 3, background: 'white' } })
      .png()
      .toBuffer(),
  );
  await service.place('above.tif', tiffOf(plainPage(20, 20, RED)));
  expect((await pixelOf('/t/f_png~l_above.tif/below.png', 30, 30)).colour.slice(0, 3)).toEqual(RED);
});

test('facts of it are in the catalog', async () => {
  await service.upload({ 'facts.tif': tiffOf(plainPage(40, 30, RED), plainPage(40, 30, BLUE)) });
  const asset = async () => (await (await service.authorized('/assets/facts.tif')).json()) as Record<string, unknown>;
  await expect.poll(asset).toMatchObject({ kind: 'image', type: 'image/tiff', width: 40, height: 30, frames: 2 });
});
