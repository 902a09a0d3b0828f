import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryStore } from '../../test/memory-store.ts';
import { createLocalCluster } from '../cluster/local.ts';
import type { RenderInputs, RenderRequest } from '../image/pipeline.ts';
import { parsePath } from '../path.ts';
import type { RenderPool } from '../render/pool.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Variant, VariantStore } from '../storage/cache/variant-store.ts';
import { createOriginals } from '../storage/originals.ts';
import { createPictureRenderer, type PictureRenderer, wantPicture } from './picture.ts';
import { createRenderBudget } from './render-budget.ts';

const PHOTO = parsePath('photo.jpg');
const LOGO = parsePath('logo.png');
const VARIANT = { key: 'kept' } as Variant;

let temp: string;
let store: BlobStore;
let renderer: PictureRenderer;
/** The texts of the files that a render was given. */
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
  renderer = createPictureRenderer({
    originals: createOriginals(store, 1000),
    variants: { put: async () => VARIANT, settled: async () => undefined } as unknown as VariantStore,
    pool: { run } as unknown as RenderPool,
    frames: { extract: () => Promise.reject(new Error('no video')) },
    budget: createRenderBudget({ perClientMs: 0, windowMs: 1 }),
    once: createLocalCluster().once,
    limits: { inputMegapixels: 1, animationFrames: 1, outputSide: 1, outputMegapixels: 1 },
    temp,
  });
});
afterEach(() => rm(temp, { recursive: true, force: true }));

/** A picture that is made of a photo and a logo. */
async function wantPhotoWithLogo() {
  const { etag: version } = await store.write(PHOTO, bytes('photo'));
  const { etag: logoVersion } = await store.write(LOGO, bytes('logo'));
  const inputs = { original: { path: PHOTO, version }, logo: { path: LOGO, version: logoVersion } };
  return wantPicture(inputs, { options: { width: 1 }, frameTime: undefined }, 'image/webp');
}

test('a render has a local file for each of its inputs, by name', async () => {
  expect(await renderer.render(await wantPhotoWithLogo(), undefined, undefined)).toBe(VARIANT);
  expect(given).toEqual({ original: 'photo', logo: 'logo' });
});

test.each([
  ['the original', PHOTO],
  ['another input', LOGO],
])('a result is not kept when %s is replaced while it is rendered', async (_name, path) => {
  whileRendering = () => store.write(path, bytes('another'));
  expect(await renderer.render(await wantPhotoWithLogo(), undefined, undefined)).toBe('replaced');
});
