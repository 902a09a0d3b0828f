import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { createFaceDetector, detectFaces } from './detect-faces.ts';
import type { Rectangle } from './detections.ts';

const fixture = (name: string) => new URL(`../../../test/fixtures/${name}`, import.meta.url).pathname;
const portrait = fixture('portrait-face.jpg');

const detector = createFaceDetector();

describe('a portrait', () => {
  test('has the same face, in fractions, whatever its size', async () => {
    const [first] = await detectFaces(sharp(portrait), detector);
    const [larger] = await detectFaces(sharp(await sharp(portrait).resize(1600).png().toBuffer()), detector);
    for (const key of ['left', 'top', 'width', 'height'] as const) {
      expect(larger?.[key]).toBeCloseTo(first?.[key] ?? Number.NaN, 1);
    }
  });
});

describe('faces that are not easy', () => {
  const face = (image: Sharp) =>
    image
      .png()
      .toBuffer()
      .then((bytes) => detectFaces(sharp(bytes), detector));
  const close = { left: 230, top: 60, width: 330, height: 380 };

  test('a face that is tilted is found where it is', async () => {
    const faces = await face(sharp(portrait).rotate(25, { background: '#808080' }));
    expect(faces).toHaveLength(1);
    expectFaceAt(faces[0], { left: 0.5, top: 0.5 });
  });

  test.each([0, 90, 180, 270])('a face that fills the picture, turned by %d degrees, is found', async (degrees) => {
    const faces = await face(sharp(await sharp(portrait).extract(close).toBuffer()).rotate(degrees));
    expect(faces).toHaveLength(1);
    expectFaceAt(faces[0], { left: 0.5, top: 0.5 });
  });

  test('a small face in a large picture is found', async () => {
    const head = await sharp(portrait).resize(240).toBuffer();
    const ground = sharp({ create: { width: 1200, height: 800, channels: 3, background: '#5a7a3a' } });
    const faces = await face(ground.composite([{ input: head, left: 900, top: 500 }]));
    expect(faces).toHaveLength(1);
    expectFaceAt(faces[0], { left: (900 + 120) / 1200, top: (500 + 80) / 800 });
  });

  test('a face is found in grey, in 16 bits, with alpha, in CMYK and in a picture of few pixels', async () => {
    const copies = [
      sharp(portrait).greyscale().png(),
      sharp(portrait).toColourspace('rgb16').png(),
      sharp(portrait).ensureAlpha(0.9).png(),
      sharp(portrait).toColourspace('cmyk').jpeg(),
      sharp(portrait).resize(120).png(),
    ];
    for (const copy of copies) {
      const faces = await detectFaces(sharp(await copy.toBuffer()), detector);
      expect(faces).toHaveLength(1);
      expectFaceAt(faces[0], { left: 0.5, top: 0.5 });
    }
  });

  test('a face in a very wide picture and in a very tall one is found', async () => {
    const wide = sharp(portrait).extend({ left: 400, right: 800, background: '#5a7a3a' });
    const tall = sharp(portrait).extend({ top: 400, bottom: 600, background: '#5a7a3a' });
    expectFaceAt((await face(wide))[0], { left: 0.4, top: 0.5 });
    expectFaceAt((await face(tall))[0], { left: 0.5, top: 0.43 });
  });

  /** Checks the centre of a face, in fractions of the image. */
  function expectFaceAt(found: Rectangle | undefined, { left, top }: { left: number; top: number }) {
    expect(found).toBeDefined();
    const { left: x, top: y, width, height } = found as Rectangle;
    expect(Math.abs(x + width / 2 - left)).toBeLessThan(0.08);
    expect(Math.abs(y + height / 2 - top)).toBeLessThan(0.08);
    for (const side of [x, y, 1 - x - width, 1 - y - height]) expect(side).toBeGreaterThanOrEqual(-1e-9);
  }
});

describe('where there is no face', () => {
  test.each(['no-face.jpg', 'photo-2725x2225.jpg', 'concert.jpg', 'orientation-1.jpg'])('%s has none', async (name) => {
    expect(await detectFaces(sharp(fixture(name)), detector)).toEqual([]);
  });

  test('a gradient and a single pixel have none', async () => {
    const data = Buffer.from(Array.from({ length: 256 * 256 }, (_, index) => index % 256));
    expect(await detector.detect({ data, width: 256, height: 256 })).toEqual([]);
    expect(await detector.detect({ data: Buffer.of(128), width: 1, height: 1 })).toEqual([]);
  });

  test.each([
    [1, 1],
    [3000, 1],
    [1, 3000],
    [4000, 40],
  ])('a picture of %d by %d pixels has none', async (width, height) => {
    const plain = sharp({ create: { width, height, channels: 4, background: '#c8a08080' } });
    expect(await detectFaces(sharp(await plain.png().toBuffer()), detector)).toEqual([]);
  });
});

describe('the detector', () => {
  test('keeps its memory over 40 detections', async () => {
    const grey = sharp(portrait).resize(480).greyscale();
    const { data, info } = await grey.raw().toBuffer({ resolveWithObject: true });
    const size = { width: info.width, height: info.height };
    const image = { ...size, data };
    const plain = { ...size, data: Buffer.alloc(3 * data.length, 90) };
    for (let round = 0; round < 10; round++) await detector.detect(round % 2 ? plain : image);
    const before = process.memoryUsage.rss();
    for (let round = 0; round < 40; round++) await detector.detect(round % 2 ? plain : image);
    // Each round copies the image several times: a leak of one colour copy would be 18 MB; of the network's input in
    // each of its three or more passes, 53 MB.
    expect((process.memoryUsage.rss() - before) / 1e6).toBeLessThan(16);
  }, 300_000);

  test('leaves the handling of uncaught errors to the process', async () => {
    await detector.status();
    const messages = process.listeners('uncaughtException').map(String);
    expect(messages.filter((source) => source.includes('ExitStatus'))).toEqual([]);
  });

  test('without its cascades tells why and finds no faces', async () => {
    const missing = createFaceDetector(new URL('./no-such-folder/', import.meta.url));
    expect(await missing.detect({ data: Buffer.alloc(64), width: 8, height: 8 })).toEqual([]);
    expect(await missing.status()).toMatchObject({ available: false, reason: expect.stringContaining('ENOENT') });
  });

  test('without its network, or with one that is broken, tells why and finds no faces', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'network-'));
    for (const cascade of ['haarcascade_frontalface_alt.xml.gz', 'haarcascade_profileface.xml.gz']) {
      await copyFile(new URL(`./cascades/${cascade}`, import.meta.url), join(folder, cascade));
    }
    for (const broken of [false, true]) {
      if (broken) await writeFile(join(folder, 'face_detection_full_range.tflite'), 'no network');
      const without = createFaceDetector(pathToFileURL(`${folder}/`));
      expect(await without.status()).toMatchObject({ available: false });
      expect(await detectFaces(sharp(portrait), without)).toEqual([]);
    }
    await rm(folder, { recursive: true });
  });

  test('with a broken cascade tells why and finds no faces', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cascades-'));
    const frontal = 'haarcascade_frontalface_alt.xml.gz';
    const profile = 'haarcascade_profileface.xml.gz';
    await copyFile(new URL(`./cascades/${frontal}`, import.meta.url), join(folder, frontal));
    await writeFile(join(folder, profile), 'no gzip');
    const broken = createFaceDetector(pathToFileURL(`${folder}/`));
    expect(await broken.status()).toMatchObject({ available: false });
    expect(await detectFaces(sharp(portrait), broken)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
