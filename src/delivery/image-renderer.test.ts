import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../test/memory-store.ts';
import { TRUSTED } from '../client.ts';
import { createLocalCluster } from '../cluster/local.ts';
import type { FocalPoint } from '../focal-point.ts';
import type { RenderInputs, RenderRequest } from '../image/pipeline.ts';
import type { Gravity } from '../image/steps/gravity.ts';
import { parsePath } from '../path.ts';
import type { FrameExtractor } from '../render/frames.ts';
import type { RenderPool } from '../render/pool.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Variant, VariantStore } from '../storage/cache/variant-store.ts';
import { CachedOriginals } from '../storage/originals.ts';
import { createImageRenderer, type ImageRenderer } from './image-renderer.ts';
import { createRenderBudget } from './render-budget.ts';
import { requestedImage } from './requested-image.ts';

const PHOTO = parsePath('photo.jpg');
const LOGO = parsePath('logo.png');
const VARIANT = { key: 'kept' } as Variant;

let temp: string;
let store: BlobStore;
let renderer: ImageRenderer;
/** Texts of the files that a render received. */
let given: Record<string, string>;
let whileRendering: () => Promise<unknown>;

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

beforeEach(async () => {
  temp = await mkdtemp(join(tmpdir(), 'darkroom-renderer-'));
  store = createMemoryStore({ temp });
  given = {};
  whileRendering = async () => undefined;
  const run = async (_task: string, { inputs, output }: RenderRequest) => {
    for (const [name, file] of Object.entries<string>(inputs satisfies RenderInputs)) {
      given[name] = await readFile(file, 'utf8');
    }
    await writeFile(output, 'result');
    await whileRendering();
    return { outcome: 'rendered', format: 'webp', width: 1, height: 1, size: 6 };
  };
  renderer = createImageRenderer({
    originals: new CachedOriginals(store, { checkMs: 1000 }),
    variants: { put: async () => VARIANT, settled: async () => undefined } as unknown as VariantStore,
    pool: { run } as unknown as RenderPool,
    frames: { extract: () => Promise.reject(new Error('no video')) } as unknown as FrameExtractor,
    budget: createRenderBudget({ perClientMs: 0, windowMs: 1 }),
    once: createLocalCluster().once,
    limits: { inputMegapixels: 1, animationFrames: 1, outputSide: 1, outputMegapixels: 1 },
    temp,
  });
});
afterEach(() => rm(temp, { recursive: true, force: true }));

/** Requests an image of a photo and a logo. */
async function wantPhotoWithLogo() {
  const { etag: version } = await store.write(PHOTO, bytes('photo'));
  const { etag: logoVersion } = await store.write(LOGO, bytes('logo'));
  const inputs = { original: { path: PHOTO, version }, logo: { path: LOGO, version: logoVersion } };
  return requestedImage(inputs, { options: { width: 1 }, frameTime: undefined }, 'image/webp');
}

test('a render has a local file for each of its inputs, by name', async () => {
  expect(await renderer.render(await wantPhotoWithLogo(), undefined, TRUSTED)).toBe(VARIANT);
  expect(given).toEqual({ original: 'photo', logo: 'logo' });
});

test.each([
  ['the original', PHOTO],
  ['another input', LOGO],
])('a result is not kept when %s is replaced while it is rendered', async (_name, path) => {
  whileRendering = () => store.write(path, bytes('another'));
  expect(await renderer.render(await wantPhotoWithLogo(), undefined, TRUSTED)).toBe('replaced');
});

describe('the stored point of an original', () => {
  const inputs = { original: { path: PHOTO, version: 'v' } };
  const keyOf = (gravity?: Gravity, focal?: FocalPoint) => {
    const options = { width: 9, height: 9, ...(gravity && { gravity }) };
    return requestedImage(inputs, { options, frameTime: undefined }, undefined, { focal }).key;
  };
  const point = { x: 0.3, y: 0.7 };

  test('is that of a crop that names no gravity, and what focal means', () => {
    expect([keyOf(undefined, point), keyOf('focal', point)]).toEqual([keyOf(point), keyOf(point)]);
    expect(keyOf(undefined, { x: 0.4, y: 0.7 })).not.toBe(keyOf(undefined, point));
  });

  test('has no say where a gravity is named', () => {
    for (const named of ['center', 'north', 'face', { x: 0.5, y: 0.1 }] as const) {
      expect(keyOf(named, point)).toBe(keyOf(named));
    }
    expect(keyOf('center', point)).not.toBe(keyOf(undefined, point));
  });

  test('is the middle where there is none', () => {
    expect([keyOf('focal'), keyOf('center')]).toEqual([keyOf(), keyOf()]);
  });

  test('has no say in a picture that is not cropped', () => {
    const whole = (focal?: FocalPoint) =>
      requestedImage(inputs, { options: { width: 9 }, frameTime: undefined }, undefined, { focal }).key;
    expect(whole(point)).toBe(whole());
  });
});
