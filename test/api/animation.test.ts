import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sign } from '../../src/auth/signature.ts';
import { ask } from '../http.ts';
import { type Painter, strip } from '../pictures/animations.ts';
import { startService, type TestService } from '../service.ts';

const AVIF_AND_WEBP = 'image/avif,image/webp,*/*';
const SECRET = 'secret-of-animations-0123456789';
const paint: Painter = (index, x, y) => [60 * index, 2 * x, 3 * y, 255];

let service: TestService;
beforeAll(async () => {
  service = await startService({
    PRESETS: 'moving=w_40,an_true',
    API_SECRET: SECRET,
    MAX_ANIMATION_MEGAPIXELS: '1',
    MAX_ANIMATION_FRAMES: '20',
  });
  const moving = (count: number) => strip(80, 60, count, paint);
  await service.place(
    'moving.gif',
    await moving(4)
      .gif({ delay: [100, 200, 300, 400], loop: 2 })
      .toBuffer(),
  );
  await service.place(
    'moving.webp',
    await moving(4)
      .webp({ delay: [100, 200, 300, 400] })
      .toBuffer(),
  );
  await service.place('many.gif', await moving(21).gif().toBuffer());
  await service.place(
    'photo.jpg',
    await sharp({ create: { width: 80, height: 60, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer(),
  );
  await service.place('sequence.avif', await readFile(new URL('../corpus/files/sequence.avif', import.meta.url)));
});
afterAll(() => service.close());

async function get(path: string, accept?: string) {
  const { status, headers, body } = await ask(service.url, path, { headers: accept === undefined ? {} : { accept } });
  return { status, headers, body: Buffer.from(body) };
}

/** Returns status, type, `Vary`, and the number of frames. */
async function look(path: string, accept?: string) {
  const { status, headers, body } = await get(path, accept);
  const { pages = 1 } = await sharp(body).metadata();
  return [status, headers['content-type'], headers.vary, pages];
}

const messageOf = async (path: string, accept?: string) => {
  const { status, body } = await get(path, accept);
  const { code, message } = JSON.parse(body.toString());
  return [status, code, message];
};

const keyOf = async (path: string, accept?: string) => (await get(path, accept)).headers.etag;

describe('an_true', () => {
  test.each(['moving.gif', 'moving.webp'])('is WebP where the client takes it, else GIF: %s', async (name) => {
    expect(await look(`/t/w_40,an_true/${name}`, AVIF_AND_WEBP)).toEqual([200, 'image/webp', 'Accept', 4]);
    expect(await look(`/t/w_40,an_true/${name}`, 'image/avif')).toEqual([200, 'image/gif', 'Accept', 4]);
    expect(await look(`/t/w_40,an_true/${name}`)).toEqual([200, 'image/gif', 'Accept', 4]);
    expect(await look(`/t/w_40,an_true,f_best/${name}`, AVIF_AND_WEBP)).toEqual([200, 'image/webp', 'Accept', 4]);
    expect(await look(`/t/w_40,an_true,f_webp/${name}`)).toEqual([200, 'image/webp', undefined, 4]);
    expect(await look(`/t/w_40,anim_true,f_gif/${name}`, AVIF_AND_WEBP)).toEqual([200, 'image/gif', undefined, 4]);
  });

  test('keeps delays and repetitions', async () => {
    const { body } = await get('/t/w_40,an_true,f_webp/moving.gif');
    const { delay, loop } = await sharp(body).metadata();
    expect([delay, loop]).toEqual([[100, 200, 300, 400], 2]);
  });

  test('without it the first frame is shown, as ever', async () => {
    for (const segment of ['w_40', 'w_40,an_false']) {
      expect(await look(`/t/${segment}/moving.gif`, AVIF_AND_WEBP)).toEqual([200, 'image/avif', 'Accept', 1]);
    }
    expect(await keyOf('/t/w_40,an_false/moving.gif', 'image/avif')).toBe(
      await keyOf('/t/w_40/moving.gif', 'image/avif'),
    );
  });

  test('is one variant however it is written, and f_best is f_auto', async () => {
    const key = await keyOf('/t/w_40,an_true/moving.gif', 'image/webp');
    for (const segment of [
      'anim_true,w_40',
      'an_1,w_40,f_auto',
      'w_40,an_true,f_webp',
      'w_40,an_true,f_best',
      'n_moving',
    ]) {
      expect([segment, await keyOf(`/t/${segment}/moving.gif`, 'image/webp')]).toEqual([segment, key]);
    }
    expect(await keyOf('/t/w_40,f_webp/moving.gif')).not.toBe(key);
  });

  test('says nothing of files without frames, and makes no second variant of them', async () => {
    for (const accept of [AVIF_AND_WEBP, undefined]) {
      expect(await keyOf('/t/w_40,an_true/photo.jpg', accept)).toBe(await keyOf('/t/w_40/photo.jpg', accept));
    }
    expect(await look('/t/w_40,an_true,f_avif/photo.jpg')).toEqual([200, 'image/avif', undefined, 1]);
  });

  test('shows the first frame of an AVIF', async () => {
    const still = await get('/t/w_40,f_png/sequence.avif');
    const { status, headers, body } = await get('/t/w_40,f_png,an_true/sequence.avif');
    expect([status, headers.etag, body.equals(still.body)]).toEqual([200, still.headers.etag, true]);
  });

  test.each(['avif', 'jpeg', 'png'])('cannot be %s, and says what can move', async (format) => {
    for (const name of ['moving.gif', 'moving.webp']) {
      expect(await messageOf(`/t/w_40,an_true,f_${format}/${name}`)).toEqual([
        400,
        'parameter_out_of_range',
        `${format.toUpperCase()} images cannot be animated: expected f_webp, f_gif, f_auto or f_best with an_true, or f_mp4 or f_webm for a video of a GIF.`,
      ]);
    }
  });

  test('over a limit is 400 with the figure and the setting, and never a part', async () => {
    expect(await messageOf('/t/w_800,an_true/moving.gif', 'image/webp')).toEqual([
      400,
      'limit_exceeded',
      'The result would have 1.9 megapixels (4 frames of 800x600); the limit for animations is 1 (MAX_ANIMATION_MEGAPIXELS).',
    ]);
    expect(await messageOf('/t/w_40,an_true/many.gif')).toEqual([
      400,
      'limit_exceeded',
      'The original has 21 frames; the limit is 20 (MAX_ANIMATION_FRAMES).',
    ]);
  });

  test('shows all frames, whatever pg says', async () => {
    const key = await keyOf('/t/w_40,an_true,f_gif/moving.gif');
    expect(await keyOf('/t/w_40,an_true,f_gif,pg_3/moving.gif')).toBe(key);
    expect(await keyOf('/t/f_json,an_true/moving.gif')).toBe(await keyOf('/t/f_json/moving.gif'));
  });

  test('is a folder where it is the name of one', async () => {
    await service.place('an_true/moving.gif', await strip(8, 8, 2, paint).gif().toBuffer());
    await service.place('an_true/only.gif', await strip(8, 8, 2, paint).gif().toBuffer());
    expect(await look('/t/an_true/only.gif')).toEqual([200, 'image/gif', undefined, 2]);
  });

  test('works in signed URLs', async () => {
    const path = 'w_40,an_true,f_gif/moving.gif';
    const { status, body } = await get(`/authenticated/s--${sign(path, SECRET)}/${path}`);
    expect([status, (await sharp(body).metadata()).pages]).toEqual([200, 4]);
  });

  test('is prewarmed in each format that can be asked for', async () => {
    const bytes = await strip(80, 60, 3, paint).gif().toBuffer();
    const answer = await service.upload({ 'warm.gif': bytes }, { transformations: 'w_30,an_true' });
    expect(answer.status).toBe(200);
    for (const accept of [AVIF_AND_WEBP, 'image/avif', 'image/webp', undefined]) {
      const { headers } = await get('/t/w_30,an_true/warm.gif', accept);
      expect(headers['x-cache']).toBe('hit');
    }
  });
});
