import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { H264, openStudio, redLeftBlueRight, type Studio, settings, tone } from '../../test/video-samples.ts';
import { mediaTypeOf } from '../media.ts';
import { Describer } from './describer.ts';
import { NO_FACTS } from './facts.ts';
import { createFrameExtractor } from './frames.ts';
import { RenderPool } from './pool.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));
const bounds = { maxQueued: 100, maxQueuedPerClient: 100, maxWaitMs: 60_000, timeoutMs: 60_000 };
const limits = { inputMegapixels: 100, animationFrames: 1000 };

let studio: Studio;
let pool: RenderPool;
let describer: Describer;
let temp: string;
beforeAll(async () => {
  studio = await openStudio();
  temp = studio.path('temp');
  await mkdir(temp);
  pool = new RenderPool({ ...bounds, workers: 1, memoryBytes: 2 ** 31, totalMemoryBytes: 2 ** 29 });
  describer = describerWith(true);
});
afterAll(async () => {
  await describer.close();
  await pool.close();
  await studio.close();
});

function describerWith(hasFfmpeg: boolean): Describer {
  const tools = hasFfmpeg ? studio.tools : undefined;
  return new Describer({ pool, limits, temp, frames: createFrameExtractor({ ...bounds, tools, settings, size: 1 }) });
}

const descriptionOf = (file: string) => describer.describe({ file, type: mediaTypeOf(basename(file)) });
const factsOf = async (file: string) => (await descriptionOf(file)).facts;
const sha256Of = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

describe('a picture', () => {
  test('has its own facts and those of its bytes', async () => {
    const file = fixture('photo-2725x2225.jpg');
    const { facts, problem } = await descriptionOf(file);
    expect(problem).toBeNull();
    expect(facts).toMatchObject({ width: 2725, height: 2225, codec: 'jpeg', hasAlpha: false, frames: null });
    expect(facts.palette).toHaveLength(5);
    expect(facts.palette[0]).toBe(facts.dominantColour);
    expect(facts.dominantLab).toEqual({ l: expect.any(Number), a: expect.any(Number), b: expect.any(Number) });
    expect(facts).toMatchObject({ rotation: null, bitrate: null, hasSound: null, soundCodec: null, frameRate: null });
    expect(facts.sha256).toBe(await sha256Of(file));
    expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
  });

  test('says when it was taken in the time of the camera, and on the clock of the world', async () => {
    const taken = async (OffsetTimeOriginal?: string) => {
      const file = studio.path('taken.jpg');
      const IFD2 = { DateTimeOriginal: '2024:05:01 12:30:45', ...(OffsetTimeOriginal && { OffsetTimeOriginal }) };
      const image = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
      await image.withExif({ IFD0: { Make: 'ACME', Model: 'Box' }, IFD2 }).toFile(file);
      return factsOf(file);
    };
    expect(await taken('+02:00')).toMatchObject({
      takenAt: '2024-05-01T12:30:45+02:00',
      takenAtMs: Date.UTC(2024, 4, 1, 10, 30, 45),
      camera: 'ACME Box',
      hasGps: false,
    });
    expect(await taken()).toMatchObject({
      takenAt: '2024-05-01T12:30:45',
      takenAtMs: Date.UTC(2024, 4, 1, 12, 30, 45),
    });
  });

  test.each(['truncated.jpg', 'corrupt-header.jpg', 'not-an-image.jpg', 'bomb-16383.png'])(
    'that is broken or hostile has the facts of its bytes and a problem: %s',
    async (name) => {
      const { facts, problem } = await descriptionOf(fixture(name));
      expect(problem).toMatch(/cannot be|limit/);
      expect(problem).not.toContain('/');
      expect(facts).toEqual({ ...NO_FACTS, sha256: await sha256Of(fixture(name)) });
    },
  );

  test('waits in the background until nobody else waits', async () => {
    const ended: string[] = [];
    const output = (name: string) => studio.path(`render-${name}.png`);
    const request = {
      options: { width: 300 },
      format: 'png',
      limits: { ...limits, outputSide: 4000, outputMegapixels: 10 },
    } as const;
    const render = async (name: string) => {
      await pool.runUncharged('render', {
        ...request,
        inputs: { original: fixture('photo-2725x2225.jpg') },
        output: output(name),
      });
      ended.push(name);
    };
    const first = render('first');
    const described = descriptionOf(fixture('concert.jpg')).then(() => ended.push('described'));
    await Promise.all([first, render('second'), render('third'), described]);
    expect(ended).toEqual(['first', 'second', 'third', 'described']);
  });
});

describe('a video', () => {
  test('is described upright, with the colours of its first frame', async () => {
    const { facts, problem } = await descriptionOf(fixture('schizo_90.mp4'));
    expect(problem).toBeNull();
    expect(facts).toMatchObject({ codec: 'h264', hasSound: true, soundCodec: 'aac', hasAlpha: null });
    expect(Math.abs(facts.rotation ?? 0)).toBe(90);
    const stored = await studio.stream(fixture('schizo_90.mp4'), 'v');
    expect([facts.width, facts.height]).toEqual([Number(stored.height), Number(stored.width)]);
    expect(facts.thumbHash).toMatch(/^[A-Za-z0-9+/]{20,}=*$/);
    expect(facts.perceptualHash).toMatch(/^[0-9a-f]{16}$/);
    expect(await readdir(temp)).toEqual([]);
  });

  test.each(['mp4', 'mov', 'webm'])('has length, frames, rate and codecs: %s', async (extension) => {
    const codecs = extension === 'webm' ? ['-c:v', 'libvpx-vp9', '-c:a', 'libopus'] : [...H264, '-c:a', 'aac'];
    const tags = ['-metadata', 'creation_time=2023-04-05T06:07:08Z'];
    const file = await studio.make(
      `film.${extension}`,
      ...redLeftBlueRight('160x90', 2),
      ...tone(2),
      ...codecs,
      ...tags,
    );
    const { facts, problem } = await descriptionOf(file);
    expect(problem).toBeNull();
    expect(facts).toMatchObject({ width: 160, height: 90, rotation: 0, frameRate: 10, hasSound: true, hasGps: false });
    expect(facts.duration).toBeCloseTo(2, 1);
    expect(facts.frames).toBe(extension === 'webm' ? null : 20);
    expect([facts.codec, facts.soundCodec]).toEqual(extension === 'webm' ? ['vp9', 'opus'] : ['h264', 'aac']);
    expect(facts.bitrate).toBeGreaterThan(10_000);
    expect(facts.palette).toHaveLength(2);
    expect(facts).toMatchObject({ takenAt: '2023-04-05T06:07:08Z', takenAtMs: Date.UTC(2023, 3, 5, 6, 7, 8) });
    expect(facts.sha256).toBe(await sha256Of(file));
  });

  test('of a phone names it, has its time with the offset, and says that there is a place', async () => {
    const tags = [
      'com.apple.quicktime.make=Apple',
      'com.apple.quicktime.model=iPhone 15',
      'com.apple.quicktime.creationdate=2024-05-01T12:30:45+0200',
      'com.apple.quicktime.location.ISO6709=+52.5200+013.4050/',
      'creation_time=2024-05-02T00:00:00Z',
    ].flatMap((tag) => ['-metadata', tag]);
    const file = await studio.make(
      'phone.mov',
      ...redLeftBlueRight(),
      ...H264,
      '-movflags',
      'use_metadata_tags',
      ...tags,
    );
    const facts = await factsOf(file);
    expect(facts).toMatchObject({ camera: 'Apple iPhone 15', takenAt: '2024-05-01T12:30:45+02:00', hasGps: true });
    expect(facts.takenAtMs).toBe(Date.UTC(2024, 4, 1, 10, 30, 45));
    expect(JSON.stringify(facts)).not.toContain('52.52');
  });

  test('that is damaged, or none at all, has the facts of its bytes and a problem', async () => {
    const broken = studio.path('broken.mp4');
    await writeFile(broken, (await readFile(fixture('schizo_90.mp4'))).subarray(0, 5000));
    const none = studio.path('none.mp4');
    await writeFile(none, 'no film');
    for (const file of [broken, none]) {
      const { facts, problem } = await descriptionOf(file);
      expect(problem).toMatch(/^The (video|file) /);
      expect(facts).toMatchObject({ width: null, dominantColour: null, sha256: await sha256Of(file) });
    }
  });

  test('whose frames are over the limit has none of its colours, and says so', async () => {
    const { facts, problem } = await new Describer({
      pool,
      temp,
      limits: { ...limits, inputMegapixels: 0.01 },
      frames: createFrameExtractor({ ...bounds, tools: studio.tools, settings, size: 1 }),
    }).describe({ file: fixture('schizo_90.mp4'), type: mediaTypeOf('a.mp4') });
    expect(problem).toContain('MAX_INPUT_MEGAPIXELS');
    expect(facts).toMatchObject({ codec: 'h264', dominantColour: null });
    expect(facts.width).toBeGreaterThan(0);
  });

  test('is left for later where there is no ffmpeg', async () => {
    const failing = describerWith(false).describe({ file: fixture('schizo_90.mp4'), type: mediaTypeOf('a.mp4') });
    await expect(failing).rejects.toMatchObject({ status: 503, code: 'ffmpeg_missing' });
  });
});

describe('sound', () => {
  test.each([
    ['wav', 'pcm_s16le', []],
    ['mp3', 'mp3', ['-b:a', '64k']],
    ['ogg', 'vorbis', ['-c:a', 'libvorbis']],
  ])('has a length, a codec and a rate: %s', async (extension, codec, args) => {
    const file = await studio.make(`tone.${extension}`, ...tone(3), ...args);
    const { facts, problem } = await descriptionOf(file);
    expect(problem).toBeNull();
    expect(facts).toMatchObject({ codec, width: null, thumbHash: null, hasSound: null, sha256: await sha256Of(file) });
    expect(facts.duration).toBeCloseTo(3, 0);
    expect(facts.bitrate).toBeGreaterThan(10_000);
  });

  test('that is none has the facts of its bytes and a problem', async () => {
    const file = studio.path('none.ogg');
    await writeFile(file, 'silence');
    expect(await descriptionOf(file)).toEqual({
      facts: { ...NO_FACTS, sha256: await sha256Of(file) },
      problem: expect.stringMatching(/^The audio cannot be read/),
    });
  });
});

describe('the bytes of any file', () => {
  test('are hashed, and nothing else is known of a kind that is only stored', async () => {
    for (const name of ['scene.glb', 'page.pdf', 'unknown.xyz']) {
      const file = studio.path(name);
      await writeFile(file, name);
      expect(await descriptionOf(file)).toEqual({
        facts: { ...NO_FACTS, sha256: await sha256Of(file) },
        problem: null,
      });
    }
  });

  test('are hashed many at a time, and the service keeps its priority', async () => {
    const before = getPriority();
    const files = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const file = studio.path(`${index}.txt`);
        await writeFile(file, Buffer.alloc(index * 100_000, index));
        return file;
      }),
    );
    const hashes = (await Promise.all(files.map(factsOf))).map(({ sha256 }) => sha256);
    expect(hashes).toEqual(await Promise.all(files.map(sha256Of)));
    expect(getPriority()).toBe(before);
  });

  test('that are gone are an error of the file system, and the next file is hashed', async () => {
    await expect(descriptionOf(studio.path('gone.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
    const file = studio.path('there.txt');
    await writeFile(file, '');
    expect((await factsOf(file)).sha256).toBe(await sha256Of(file));
  });

  test('are let go when nobody wants them any more', async () => {
    const leaver = new AbortController();
    const leaving = describer.describe({ file: '/dev/zero', type: mediaTypeOf('a.txt'), signal: leaver.signal });
    leaver.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
  });

  test('are let go when the describer closes', async () => {
    const ended = describerWith(true);
    const hashing = ended.describe({ file: '/dev/zero', type: mediaTypeOf('a.txt') });
    hashing.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    await ended.close();
    await expect(hashing).rejects.toThrow('ended');
  });
});
