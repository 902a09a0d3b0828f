import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { gradient, painted } from '../pictures/studio.ts';
import { startService, type TestService } from '../service.ts';

interface Input {
  name: string;
  bytes: () => Promise<Buffer> | Buffer;
  width: number;
  height: number;
  hasAlpha: boolean;
  /** True for files that an upload would convert: they are written into storage directly. */
  isPlaced?: boolean;
}

const SIZE = { width: 96, height: 64 };
const opaque = { ...SIZE, hasAlpha: false };
const clear = { ...SIZE, hasAlpha: true };
const plain = () => gradient(SIZE.width, SIZE.height);
/** Returns an image with a transparent left half. */
const seeThrough = () => painted(SIZE.width, SIZE.height, (x) => [200, 90, 40, x < SIZE.width / 2 ? 0 : 255]);

const INPUTS: readonly Input[] = [
  { name: 'photo.jpg', bytes: () => plain().jpeg().toBuffer(), ...opaque },
  { name: 'picture.png', bytes: () => plain().png().toBuffer(), ...opaque },
  { name: 'alpha.png', bytes: () => seeThrough().png().toBuffer(), ...clear },
  { name: 'picture.webp', bytes: () => plain().webp().toBuffer(), ...opaque },
  { name: 'alpha.webp', bytes: () => seeThrough().webp().toBuffer(), ...clear },
  { name: 'picture.avif', bytes: () => plain().avif({ effort: 0 }).toBuffer(), ...opaque },
  { name: 'picture.gif', bytes: () => plain().gif().toBuffer(), ...opaque },
  { name: 'layers.psd', bytes: () => fixture('layers-hopper.psd'), width: 128, height: 128, hasAlpha: false },
  { name: 'from-heic.heic', bytes: () => fixture('alpha.heic'), width: 64, height: 32, hasAlpha: false },
  { name: 'still.heic', bytes: () => fixture('alpha.heic'), width: 64, height: 32, hasAlpha: true, isPlaced: true },
  { name: 'deep.png', bytes: () => plain().toColourspace('rgb16').png().toBuffer(), ...opaque },
  { name: 'grey.jpg', bytes: () => plain().toColourspace('b-w').jpeg().toBuffer(), ...opaque },
  { name: 'inks.jpg', bytes: () => plain().toColourspace('cmyk').jpeg().toBuffer(), ...opaque },
];

const FORMATS = ['avif', 'webp', 'jpeg', 'png', 'gif'] as const;

interface Change {
  segment: string;
  size(input: Input): { width: number; height: number };
  /** True if it makes the corners of an opaque image transparent. */
  clears: boolean;
}

const CHANGES: Readonly<Record<string, Change>> = {
  resize: {
    segment: 'w_40',
    size: ({ width, height }) => ({ width: 40, height: Math.round((40 / width) * height) }),
    clears: false,
  },
  pad: { segment: 'w_50,h_50,c_pad', size: () => ({ width: 50, height: 50 }), clears: false },
  round: { segment: 'w_40,h_40,r_max', size: () => ({ width: 40, height: 40 }), clears: true },
  rotate: {
    segment: 'a_90,w_30',
    size: ({ width, height }) => ({ width: 30, height: Math.round((30 / height) * width) }),
    clears: false,
  },
};

let service: TestService;
const paths = new Map<string, string>();

beforeAll(async () => {
  service = await startService({ PUBLIC_RATE_LIMIT_MAX: '0' });
  for (const { name, bytes, isPlaced } of INPUTS) {
    paths.set(name, isPlaced ? await place(name, await bytes()) : await upload(name, await bytes()));
  }
});
afterAll(() => service.close());

async function place(name: string, bytes: Buffer): Promise<string> {
  await writeFile(join(service.originals, name), bytes);
  return name;
}

async function upload(name: string, bytes: Buffer): Promise<string> {
  const response = await service.upload({ [name]: bytes });
  const { files } = (await response.json()) as { files: { path: string }[] };
  return files[0]?.path ?? `refused: ${name}`;
}

/** Returns the minimum alpha, 255 in an opaque image. */
async function leastAlpha(bytes: Buffer): Promise<number> {
  const { channels } = await sharp(await sharp(bytes).ensureAlpha().png().toBuffer()).stats();
  return channels.at(-1)?.min ?? 255;
}

describe.each(INPUTS)('$name', (input) => {
  test.each(FORMATS)('as %s, resized, padded, rounded and turned', async (format) => {
    for (const [name, change] of Object.entries(CHANGES)) {
      const answer = await ask(service.url, `/t/${change.segment},f_${format}/${paths.get(input.name)}`);
      const found = {
        name,
        status: answer.status,
        type: answer.headers['content-type'],
        fallback: answer.headers['x-transform-fallback'],
      };
      expect(found).toEqual({ name, status: 200, type: `image/${format}`, fallback: undefined });
      const { format: container, width, height } = await sharp(answer.body).metadata();
      const isClear = (await leastAlpha(answer.body)) < 128;
      const wanted = {
        container: format === 'avif' ? 'heif' : format,
        ...change.size(input),
        isClear: format !== 'jpeg' && (input.hasAlpha || change.clears),
      };
      expect({ container, width, height, isClear }).toEqual(wanted);
    }
  });
});

test('a HEIC is uploaded as a JPEG', () => {
  expect(paths.get('from-heic.heic')).toBe('from-heic.jpg');
});
