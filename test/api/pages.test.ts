import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const COLOURS = ['ff0000', '008000', '0000ff'];

/** Creates an animation with a frame of each colour. */
async function animation(format: 'gif' | 'webp'): Promise<Buffer> {
  const frames = COLOURS.map((colour) => ({
    create: { width: 20, height: 10, channels: 3 as const, background: `#${colour}` },
  }));
  const images = await Promise.all(frames.map((input) => sharp(input).png().toBuffer()));
  const joined = sharp(images, { join: { animated: true } });
  return format === 'gif' ? joined.gif().toBuffer() : joined.webp({ lossless: true }).toBuffer();
}

/** Returns the colour that fills an image, within the tolerance of lossy formats. */
async function colourOf(path: string): Promise<string | undefined> {
  const { status, body } = await ask(service.url, path);
  expect(status, body.toString('latin1', 0, 200)).toBe(200);
  const { channels } = await sharp(body).toColourspace('srgb').stats();
  const isNear = (colour: string) =>
    channels.slice(0, 3).every(({ min, max }, index) => {
      const wanted = Buffer.from(colour, 'hex')[index] ?? 0;
      return Math.max(wanted - min, max - wanted) < 6;
    });
  return COLOURS.find(isNear);
}

describe.each(['gif', 'webp'] as const)('of an animated %s', (format) => {
  const name = `moving.${format}`;
  beforeAll(async () => service.place(name, await animation(format)));

  test('pg names a frame, which is the first one without it', async () => {
    const shown = ['f_png', 'pg_1,f_png', 'pg_2,f_png', 'pg_3,f_png'].map((text) => colourOf(`/t/${text}/${name}`));
    expect(await Promise.all(shown)).toEqual([COLOURS[0], ...COLOURS]);
  });

  test('a frame in its own format is one frame', async () => {
    const { status, body } = await ask(service.url, `/t/pg_2,f_${format}/${name}`);
    const { pages = 1 } = await sharp(body).metadata();
    expect([status, pages]).toEqual([200, 1]);
    expect(await colourOf(`/t/pg_2,f_${format}/${name}`)).toBe(COLOURS[1]);
  });

  test.each(['pg_4', 'pg_4,w_5,h_5,g_auto'])(
    'beyond the last one %s is 400, and says how many there are',
    async (text) => {
      const { status, json } = await ask(service.url, `/t/${text}/${name}`);
      expect([status, json().message]).toEqual([400, expect.stringContaining('from 1 to 3')]);
    },
  );
});

test('a GIF of one frame has no second one', async () => {
  await service.place(
    'still.gif',
    await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .gif()
      .toBuffer(),
  );
  const { status, json } = await ask(service.url, '/t/pg_2,f_png/still.gif');
  expect([status, json().message]).toEqual([400, expect.stringContaining('from 1 to 1')]);
});

test.each(['pg_0', 'pg_10001'])('%s is out of range', async (text) => {
  await service.place('range.gif', await animation('gif'));
  const { status, json } = await ask(service.url, `/t/${text}/range.gif`);
  expect([status, json().code]).toEqual([400, 'parameter_out_of_range']);
});

test('where there are no pages it makes no second variant', async () => {
  await service.place('photo.jpg', fixture('portrait-face.jpg'));
  const [without, named] = await Promise.all(
    ['w_50,f_png', 'w_50,f_png,pg_7'].map((text) => ask(service.url, `/t/${text}/photo.jpg`)),
  );
  expect([named?.status, named?.headers.etag]).toEqual([200, without?.headers.etag]);
});

test('nor of the frame of a video', async () => {
  await service.place('clip.mp4', fixture('schizo_90.mp4'));
  const without = await ask(service.url, '/t/t_true,w_50,f_png/clip.mp4');
  const named = await ask(service.url, '/t/t_true,w_50,f_png,pg_7/clip.mp4');
  expect([named.status, named.headers.etag]).toEqual([200, without.headers.etag]);
});

test('a folder of its name stays reachable', async () => {
  await service.place('pg_2/inside.gif', await animation('gif'));
  expect((await ask(service.url, '/t/pg_2/inside.gif')).headers['content-type']).toBe('image/gif');
});
