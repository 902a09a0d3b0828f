import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { colourPerSecond, H264, openStudio, tone } from '../video-samples.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
  await service.place('face.jpg', fixture('portrait-face.jpg'));
  await service.place('scene.jpg', fixture('no-face.jpg'));
});
afterAll(() => service.close());

// biome-ignore lint/suspicious/noExplicitAny: it is what the tests look at.
const factsOf = async (path: string): Promise<any> => {
  const answer = await ask(service.url, path);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  return answer.json();
};

describe('f_json of a picture', () => {
  test('says what is known of the original, as the catalog does, and shows a tiny copy', async () => {
    const file = fixture('portrait-face.jpg');
    const { width, height } = await sharp(file).metadata();
    const { colours, placeholder, ...facts } = await factsOf('/t/f_json/face.jpg');
    expect(facts).toEqual({
      type: 'image/jpeg',
      bytes: file.length,
      width,
      height,
      hasAlpha: false,
      frames: null,
      duration: null,
      thumbHash: expect.stringMatching(/^[\w+/]+=*$/),
      blurHash: expect.stringMatching(/^.{28}$/),
      perceptualHash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(colours.palette[0]).toBe(colours.dominant);
    expect(colours.border).toMatch(/^#[0-9a-f]{6}$/);
    const tiny = Buffer.from(placeholder.replace('data:image/webp;base64,', ''), 'base64');
    expect(placeholder.length).toBeLessThan(300);
    const shown = await sharp(tiny).metadata();
    expect([shown.format, Math.max(shown.width, shown.height)]).toEqual(['webp', 16]);
  });

  test('has the faces with g_face alone, in fractions of the picture', async () => {
    const { faces } = await factsOf('/t/f_json,g_face/face.jpg');
    expect(faces).toHaveLength(1);
    const [{ left, top, width, height }] = faces;
    for (const share of [left, top, width, height, left + width, top + height]) {
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(1);
    }
    expect(await factsOf('/t/f_json/face.jpg')).not.toHaveProperty('faces');
  });

  test('is the same whatever else is asked for', async () => {
    const { headers } = await ask(service.url, '/t/f_json/scene.jpg');
    for (const segment of [
      'w_100,f_json',
      'f_json,g_auto,c_fit,h_20',
      'f_json,e_blur,b_auto',
      'f_json~l_missing.png',
    ]) {
      const other = await ask(service.url, `/t/${segment}/scene.jpg`);
      expect([segment, other.status, other.headers['x-cache'], other.headers.etag]).toEqual([
        segment,
        200,
        'hit',
        headers.etag,
      ]);
    }
  });

  test('says nothing about where, when and with what it was taken', async () => {
    const exif = { IFD0: { Model: 'Secret 3000' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' } };
    const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } });
    await service.place('there.jpg', await picture.withExif(exif).jpeg().toBuffer());
    const { body } = await ask(service.url, '/t/f_json/there.jpg');
    expect(body.toString()).not.toMatch(/secret|gps|taken|camera|52/i);
  });

  test('says of an animation how many frames it has and how long they take', async () => {
    const rows = Buffer.concat(['#f00', '#0f0', '#00f'].map((_, index) => Buffer.alloc(20 * 10 * 3, index * 90)));
    const raw = { width: 20, height: 30, channels: 3, pageHeight: 10 } as const;
    await service.place(
      'moving.gif',
      await sharp(rows, { raw })
        .gif({ delay: [200, 300, 500] })
        .toBuffer(),
    );
    expect(await factsOf('/t/f_json/moving.gif')).toMatchObject({ frames: 3, duration: 1, width: 20, height: 10 });
  });

  test('of a damaged file is 422, of one over a limit 400, of none 404', async () => {
    await service.place('broken.jpg', fixture('not-an-image.jpg'));
    const broken = await ask(service.url, '/t/f_json/broken.jpg');
    expect([broken.status, broken.json().message]).toEqual([422, 'The file cannot be read as an image.']);
    await service.place('bomb.png', fixture('bomb-16383.png'));
    const bomb = await ask(service.url, '/t/f_json/bomb.png');
    expect([bomb.status, bomb.json().code]).toEqual([400, 'limit_exceeded']);
    expect((await ask(service.url, '/t/f_json/none.jpg')).status).toBe(404);
  });
});

describe('f_json of other files', () => {
  test('of a video has its streams, and looks and faces of the frame at tt or so', async () => {
    const studio = await openStudio();
    try {
      const sound = [...colourPerSecond(), ...tone(4), ...H264, '-c:a', 'aac'];
      await service.place('clip.mp4', await readFile(await studio.make('clip.mp4', ...sound)));
    } finally {
      await studio.close();
    }
    const first = await factsOf('/t/f_json/clip.mp4');
    expect(first).toMatchObject({
      type: 'video/mp4',
      width: 160,
      height: 90,
      codec: 'h264',
      frameRate: 25,
      rotation: 0,
      hasSound: true,
      soundCodec: 'aac',
      hasAlpha: null,
    });
    expect(first.duration).toBeCloseTo(4, 1);
    expect(first.colours.dominant).toMatch(/^#f[cdef]0000$/);
    const later = await factsOf('/t/f_json,so_2.5/clip.mp4');
    expect(later.colours.dominant).toMatch(/^#0.0.f[cdef]$/);
    expect(later).toEqual(await factsOf('/t/f_json,t_true,tt_2.5/clip.mp4'));
    expect(later).toEqual(await factsOf('/t/f_json,tt_2.5/clip.mp4'));
    expect(later).toEqual(await factsOf('/t/f_json,tt_2.5,so_1/clip.mp4'));
    expect(first).toEqual(await factsOf('/t/f_json,tt_0,so_2.5/clip.mp4'));
    expect(await factsOf('/t/f_json,so_2.5,g_face/clip.mp4')).toHaveProperty('faces', []);
  });

  test('of sound has how long it is and how it is coded', async () => {
    const studio = await openStudio();
    try {
      await service.place('tone.mp3', await readFile(await studio.make('tone.mp3', ...tone(2))));
    } finally {
      await studio.close();
    }
    const { duration, ...facts } = await factsOf('/t/f_json/tone.mp3');
    expect(facts).toMatchObject({ type: 'audio/mpeg', codec: 'mp3' });
    expect(duration).toBeCloseTo(2, 0);
  });

  test('of what is none of these is 400, as every transformation', async () => {
    await service.place('paper.pdf', '%PDF-1.4');
    expect((await ask(service.url, '/t/f_json/paper.pdf')).json().code).toBe('untransformable');
  });
});

describe('GET /storage/{path}/metadata?detail=true', () => {
  // biome-ignore lint/suspicious/noExplicitAny: it is what the tests look at.
  const detailOf = async (name: string): Promise<any> =>
    (await service.authorized(`/storage/${name}/metadata?detail=true`)).json();

  test('says where, when and with what a picture was taken', async () => {
    const exif = {
      IFD0: { Make: 'Nikon', Model: 'Nikon Z 6', Copyright: 'A. Nyone' },
      IFD2: { DateTimeOriginal: '2024:05:01 12:30:45', FNumber: '28/10', ExposureTime: '1/250', FocalLength: '50/1' },
      IFD3: {
        GPSLatitudeRef: 'S',
        GPSLatitude: '33/1 51/1 30/1',
        GPSLongitudeRef: 'E',
        GPSLongitude: '151/1 12/1 0/1',
        GPSAltitudeRef: '0',
        GPSAltitude: '585/10',
      },
    };
    const picture = sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } });
    await service.place('sydney.jpg', await picture.withExif(exif).jpeg().toBuffer());
    expect(await detailOf('sydney.jpg')).toMatchObject({
      size: expect.any(Number),
      detail: {
        taken: '2024-05-01T12:30:45',
        camera: 'Nikon Z 6',
        lens: null,
        copyright: 'A. Nyone',
        artist: null,
        exposureTime: 0.004,
        fNumber: 2.8,
        iso: null,
        focalLength: 50,
        position: { latitude: -33.858333, longitude: 151.2 },
        altitude: 58.5,
      },
    });
  });

  test('has nulls for a picture that says nothing, and null for other files and damaged ones', async () => {
    await service.place('plain.png', fixture('flag-alpha.png'));
    expect((await detailOf('plain.png')).detail).toMatchObject({ taken: null, camera: null, position: null });
    await service.place('notes.txt', 'nothing');
    await service.place('damaged.jpg', fixture('not-an-image.jpg'));
    for (const name of ['notes.txt', 'damaged.jpg']) expect(await detailOf(name)).toHaveProperty('detail', null);
  });

  test('is not there without detail=true', async () => {
    const answer = await service.authorized('/storage/sydney.jpg/metadata');
    expect(Object.keys((await answer.json()) as object)).toEqual(['size', 'createdAt', 'updatedAt']);
  });
});
