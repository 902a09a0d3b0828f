import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRights } from '@darkroom/image-files/rights/rights';
import readExif from 'exif-reader';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimSize, repeatFrames } from '../fuzz/hostile-pictures.ts';
import { type Answer, ask, fixture } from '../http.ts';
import { gradient, painted, quadrants } from '../pictures/studio.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ PUBLIC_RATE_LIMIT_MAX: '0' });
});
afterAll(() => service.close());

const get = (path: string, from: TestService = service) => ask(from.url, path);

async function place(name: string, bytes: Buffer | Promise<Buffer>, into: TestService = service): Promise<string> {
  await writeFile(join(into.data, 'originals', name), await bytes);
  return name;
}

/** Copies an image in memory, through its pixels. */
async function copyOf(picture: Sharp): Promise<Sharp> {
  return sharp(await picture.png().toBuffer());
}

describe('g_face keeps the face in frame', () => {
  const FACE = { left: 290, top: 130, right: 510, bottom: 400 };
  /** Brow, chin, left and right of the face: a small patch of colour shows if a crop contains that point. */
  const CORNERS = [
    [FACE.left, FACE.top],
    [FACE.right, FACE.top],
    [FACE.right, FACE.bottom],
    [FACE.left, FACE.bottom],
  ] as const;
  const BOXES = ['w_200,h_400', 'w_400,h_200', 'w_100,h_100', 'w_300,h_300'];
  const portrait = () => sharp(fixture('portrait-face.jpg'));
  const copies: Readonly<Record<string, () => Promise<Buffer>>> = {
    'as it is': async () => fixture('portrait-face.jpg'),
    mirrored: () => portrait().flop().jpeg().toBuffer(),
    'turned by 90 degrees': () => portrait().rotate(90).jpeg().toBuffer(),
    'turned by 180 degrees': () => portrait().rotate(180).jpeg().toBuffer(),
    'turned by 270 degrees': () => portrait().rotate(270).jpeg().toBuffer(),
    'turned, and upright by EXIF': () => portrait().rotate(90).withMetadata({ orientation: 8 }).jpeg().toBuffer(),
    'mirrored, and right by EXIF': () => portrait().flop().withMetadata({ orientation: 2 }).jpeg().toBuffer(),
  };
  /**
   * Edits of a copy, applied to a map of the portrait: red and green of every pixel encode its position in the
   * portrait.
   */
  const maps: Readonly<Record<string, (map: Sharp) => Sharp>> = {
    mirrored: (map) => map.flop(),
    'turned by 90 degrees': (map) => map.rotate(90),
    'turned by 180 degrees': (map) => map.rotate(180),
    'turned by 270 degrees': (map) => map.rotate(270),
  };

  /** Finds the origin of a crop: the position in the image with the least difference, at the crop's scale. */
  async function findCrop(
    picture: Buffer,
    crop: Buffer,
  ): Promise<{ left: number; top: number; right: number; bottom: number }> {
    const whole = await sharp(picture).autoOrient().toBuffer({ resolveWithObject: true });
    const { width, height } = await sharp(crop).metadata();
    const scale = Math.max(width / whole.info.width, height / whole.info.height);
    const shownWidth = Math.round(whole.info.width * scale);
    const shownHeight = Math.round(whole.info.height * scale);
    const grey = (image: Sharp) => image.greyscale().raw().toBuffer();
    const [large, small] = await Promise.all([
      grey(sharp(whole.data).resize(shownWidth, shownHeight, { fit: 'fill' })),
      grey(sharp(crop)),
    ]);
    let best = { difference: Number.POSITIVE_INFINITY, left: 0, top: 0 };
    for (let top = 0; top <= shownHeight - height; top++) {
      for (let left = 0; left <= shownWidth - width; left++) {
        let difference = 0;
        for (let y = 0; y < height && difference < best.difference; y += 3) {
          for (let x = 0; x < width; x += 3) {
            difference += Math.abs((large[(top + y) * shownWidth + left + x] ?? 0) - (small[y * width + x] ?? 0));
          }
        }
        if (difference < best.difference) best = { difference, left, top };
      }
    }
    expect(best.difference / ((width * height) / 9)).toBeLessThan(4);
    const { left, top } = best;
    return { left: left / scale, top: top / scale, right: (left + width) / scale, bottom: (top + height) / scale };
  }

  /** Finds the face in a copy: the corners of its box, looked up in the map with the same edits. */
  async function faceIn(copy: string) {
    const shown = await copyOf(painted(800, 533, (x, y) => [x >> 2, y >> 2, ((x & 3) << 2) | (y & 3), 255]));
    const { data, info } = await (maps[copy] ?? ((map) => map))(shown).raw().toBuffer({ resolveWithObject: true });
    const places = CORNERS.map(([x, y]) => {
      const wanted = [x >> 2, y >> 2, ((x & 3) << 2) | (y & 3)];
      for (let at = 0; at < data.length; at += 3) {
        if (wanted.every((value, channel) => data[at + channel] === value)) {
          return [(at / 3) % info.width, Math.floor(at / 3 / info.width)] as const;
        }
      }
      throw new Error(`the map of ${copy} shows no ${x},${y}`);
    });
    const xs = places.map(([x]) => x);
    const ys = places.map(([, y]) => y);
    return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
  }

  test.each(Object.entries(copies))('of the portrait %s', async (copy, make) => {
    const bytes = await make();
    const name = await place(`${copy.replaceAll(/\W/g, '-')}.jpg`, bytes);
    const face = await faceIn(copy);
    for (const box of BOXES) {
      const answer = await get(`/t/${box},g_face,f_png/${name}`);
      expect(answer.status).toBe(200);
      const shown = await findCrop(bytes, answer.body);
      const isWhole =
        shown.left <= face.left + 2 &&
        shown.top <= face.top + 2 &&
        shown.right >= face.right - 2 &&
        shown.bottom >= face.bottom - 2;
      expect({ box, isWhole, shown }).toEqual({ box, isWhole: true, shown });
    }
  });
});

describe('the focus of an original', () => {
  /** Returns the names of data stored for originals, by kind. */
  async function kept(kind: string): Promise<string[]> {
    const files = await readdir(join(service.data, 'variants'), { recursive: true });
    return files.filter((file) => file.endsWith(`.${kind}`));
  }

  test('is found once, for ten sizes at the same time and for others later', async () => {
    const name = await place('once.jpg', fixture('portrait-face.jpg'));
    const before = await kept('json');
    const sizes = Array.from({ length: 10 }, (_, index) => `/t/w_${50 + index},h_60,g_face,f_png/${name}`);
    const answers = await Promise.all(sizes.map((path) => get(path)));
    expect(answers.map(({ status }) => status)).toEqual(sizes.map(() => 200));
    await get(`/t/w_20,h_20,g_face,f_webp/${name}`);
    expect((await kept('json')).length - before.length).toBe(1);
  });

  test('is the interest of the picture where there is no face', async () => {
    const name = await place('no-face.jpg', fixture('no-face.jpg'));
    for (const box of ['w_100,h_300', 'w_300,h_50']) {
      const face = await get(`/t/${box},g_face,f_png/${name}`);
      const auto = await get(`/t/${box},g_auto,f_png/${name}`);
      expect(face.status).toBe(200);
      expect(face.body.equals(auto.body)).toBe(true);
    }
  });

  test('never fails a request: of a picture that cannot be decoded there is the original', async () => {
    const name = await place('cut.jpg', fixture('truncated.jpg'));
    for (const gravity of ['g_face', 'g_auto']) {
      const answer = await get(`/t/w_50,h_50,${gravity}/${name}`);
      expect([answer.status, answer.headers['x-transform-fallback']]).toEqual([200, 'original']);
    }
  });
});

describe('metadata', () => {
  const TAGS = {
    IFD0: { Copyright: '(c) Ada Lovelace', Artist: 'Ada', Make: 'Camera', ImageDescription: 'secret place' },
    IFD2: { DateTimeOriginal: '2026:01:02 03:04:05' },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSLongitudeRef: 'W', GPSLongitude: '0/1 7/1 0/1' },
  };

  test.each(['jpeg', 'webp', 'avif', 'png'])(
    'of a JPEG: %s keeps the copyright, without place, camera and thumbnail',
    async (format) => {
      const tagged = await gradient(120, 80).withExif(TAGS).jpeg().toBuffer();
      expect(Object.keys(readExif((await sharp(tagged).metadata()).exif as Buffer))).toContain('GPSInfo');
      const name = await place(`tagged-for-${format}.jpg`, tagged);
      for (const segment of [`w_60,f_${format}`, `f_${format}`, `q_auto,f_${format}`]) {
        const { exif, xmp, iptc } = await sharp((await get(`/t/${segment}/${name}`)).body).metadata();
        expect([exif, iptc]).toEqual([undefined, undefined]);
        expect(readRights({ xmp })).toEqual({ Copyright: '(c) Ada Lovelace', Artist: 'Ada' });
        for (const secret of ['Camera', 'secret place', '2026', 'GPS', '51']) expect(xmp?.includes(secret)).toBe(false);
      }
    },
  );
});

describe('a HEIC', () => {
  test('is uploaded as an upright JPEG of the same colours', async () => {
    const response = await service.upload({ 'IMG_1.HEIC': fixture('rotated.heic') }, { folder: 'phone' });
    const { files } = (await response.json()) as { files: Record<string, string>[] };
    expect(files[0]).toMatchObject({ filename: 'IMG_1.jpg', path: 'phone/IMG_1.jpg' });
    expect(files[0]?.url).toMatch(/\/t\/phone\/IMG_1\.jpg$/);
    const stored = await get('/t/phone/IMG_1.jpg');
    expect(stored.headers['content-type']).toBe('image/jpeg');
    const header = await sharp(stored.body).metadata();
    expect([header.format, header.orientation ?? 1, header.width, header.height]).toEqual(['jpeg', 1, 32, 64]);
    // Its numbers are those of sRGB red in Display P3, as declared by its profile.
    const { body } = await get('/t/f_png,w_32/phone/IMG_1.jpg');
    const { dominant } = await sharp(body).extract({ left: 4, top: 4, width: 8, height: 4 }).stats();
    const { channels } = await sharp(body).stats();
    expect([dominant.r > 200, Math.max(...channels.map(({ max }) => max))]).toEqual([true, 255]);
  });
});

describe('what cannot be transformed', () => {
  const others = { 'paper.pdf': 'document', 'song.mp3': 'audio', 'model.glb': '3d' };

  test.each(Object.keys(others))('%s with a transformation is 400 and points at the bare URL', async (name) => {
    await place(name, Buffer.from('content'));
    const answer = await get(`/t/w_100/${name}`);
    expect(answer.status).toBe(400);
    expect(answer.json().message).toContain(`/t/${name}`);
    expect(answer.json().message).not.toMatch(/\ba [aeiou]/i);
    expect((await get(`/t/${name}`)).body.toString()).toBe('content');
  });
});

describe('a limit', () => {
  let limited: TestService;

  beforeAll(async () => {
    limited = await startService({
      PUBLIC_RATE_LIMIT_MAX: '0',
      MAX_ANIMATION_FRAMES: '3',
      MAX_INPUT_MEGAPIXELS: '2',
      MAX_OUTPUT_SIDE: '500',
      MAX_OUTPUT_MEGAPIXELS: '1',
    });
  });
  afterAll(() => limited.close());

  function expectRefusal(answer: Answer, status: number, setting: string): void {
    expect([answer.status, answer.headers['cache-control']]).toEqual([status, 'no-store']);
    expect(answer.json().message).toContain(setting);
  }

  test('of frames is named with its setting', async () => {
    const frame = await quadrants(8, 8).gif().toBuffer();
    await place('four.gif', repeatFrames(frame, 4), limited);
    const answer = await get('/t/w_4/four.gif', limited);
    expectRefusal(answer, 400, 'MAX_ANIMATION_FRAMES');
    expect(answer.json().message).toMatch(/4 frames.* 3 /);
  });

  test('of the input is named with its setting', async () => {
    await place('large.jpg', claimSize(fixture('concert.jpg'), 2000, 1500), limited);
    expectRefusal(await get('/t/w_4/large.jpg', limited), 400, 'MAX_INPUT_MEGAPIXELS');
    const psd = Buffer.from(fixture('merged-hopper.psd'));
    psd.writeUInt32BE(20_000, 14);
    await place('large.psd', psd, limited);
    expectRefusal(await get('/t/w_4/large.psd', limited), 400, 'MAX_INPUT_MEGAPIXELS');
  });

  test('of a side that follows from the ratio is named with its setting', async () => {
    await place('line.png', quadrants(4, 40).png().toBuffer(), limited);
    expectRefusal(await get('/t/w_400/line.png', limited), 400, 'MAX_OUTPUT_SIDE');
  });

  test('of time ends the render with 503 that names its setting', async () => {
    const hurried = await startService({ PUBLIC_RATE_LIMIT_MAX: '0', RENDER_TIMEOUT_MS: '100' });
    const noise = {
      width: 1400,
      height: 1400,
      channels: 3,
      background: 'black',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    } as const;
    await place('slow.png', sharp({ create: noise }).png({ compressionLevel: 1 }).toBuffer(), hurried);
    const answer = await get('/t/q_auto,w_480,f_avif/slow.png', hurried);
    expectRefusal(answer, 503, 'RENDER_TIMEOUT_MS');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    await hurried.close();
  });

  test('is listed by GET /limits, with its value and its setting', async () => {
    const { limits } = (await get('/limits', limited)).json() as { limits: { setting: string; value: number }[] };
    const values = Object.fromEntries(limits.map(({ setting, value }) => [setting, value]));
    expect(values).toMatchObject({
      MAX_ANIMATION_FRAMES: 3,
      MAX_INPUT_MEGAPIXELS: 2,
      MAX_OUTPUT_SIDE: 500,
      MAX_OUTPUT_MEGAPIXELS: 1,
      RENDER_TIMEOUT_MS: 60_000,
      MAX_FILE_SIZE_MB: 50,
    });
  });
});
