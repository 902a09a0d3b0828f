import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planLayout, type Size } from '../../src/image/layout/geometry.ts';
import { placeByDirection } from '../../src/image/steps/gravity.ts';
import { ask, fixture } from '../http.ts';
import { gradient, painted } from '../pictures/studio.ts';
import { startService, type TestService } from '../service.ts';

const SEED = 20_261;
const RUNS = { seed: SEED, numRuns: 150 };
const LARGEST_SIDE = 300;

let service: TestService;

/** Displayed sizes. */
const SIZES: Readonly<Record<string, Size>> = {
  'photo.jpg': { width: 61, height: 43 },
  'turned.jpg': { width: 43, height: 61 },
  'mirrored.jpg': { width: 61, height: 43 },
  'picture.png': { width: 61, height: 43 },
  'alpha.png': { width: 61, height: 43 },
  'deep.png': { width: 61, height: 43 },
  'line.png': { width: 50, height: 1 },
  'picture.webp': { width: 61, height: 43 },
  'picture.avif': { width: 61, height: 43 },
  'picture.gif': { width: 61, height: 43 },
  'inks.jpg': { width: 61, height: 43 },
  'grey.png': { width: 61, height: 43 },
  'layers.psd': { width: 128, height: 128 },
  'still.heic': { width: 64, height: 32 },
};

beforeAll(async () => {
  service = await startService({
    PUBLIC_RATE_LIMIT_MAX: '0',
    MAX_OUTPUT_SIDE: String(LARGEST_SIDE),
    MAX_OUTPUT_MEGAPIXELS: '1',
  });
  const picture = gradient(61, 43);
  const files: Record<string, Buffer> = {
    'photo.jpg': await picture.clone().jpeg().toBuffer(),
    'turned.jpg': await picture.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    'mirrored.jpg': await picture.clone().withMetadata({ orientation: 4 }).jpeg().toBuffer(),
    'picture.png': await picture.clone().png().toBuffer(),
    'alpha.png': await painted(61, 43, (x) => [x, 9, 90, x * 4])
      .png()
      .toBuffer(),
    'deep.png': await picture.clone().toColourspace('rgb16').withIccProfile('p3').png().toBuffer(),
    'line.png': await gradient(50, 2).extract({ left: 0, top: 0, width: 50, height: 1 }).png().toBuffer(),
    'picture.webp': await picture.clone().webp().toBuffer(),
    'picture.avif': await picture.clone().avif({ effort: 0 }).toBuffer(),
    'picture.gif': await picture.clone().gif().toBuffer(),
    'inks.jpg': await picture.clone().toColourspace('cmyk').jpeg().toBuffer(),
    'grey.png': await picture.clone().toColourspace('b-w').png().toBuffer(),
    'layers.psd': fixture('layers-hopper.psd'),
    'still.heic': fixture('alpha.heic'),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(service.originals, name), bytes);
});
afterAll(() => service.close());

const CROPS = ['fill', 'fit', 'scale', 'crop', 'pad', 'lfill', 'fill_pad', 'limit', 'mfit', 'thumb', 'lpad'] as const;
const ALIASES: Readonly<Record<string, 'fill' | 'fit' | 'crop' | 'pad'>> = {
  lfill: 'fill',
  fill_pad: 'fill',
  limit: 'fit',
  mfit: 'fit',
  thumb: 'crop',
  lpad: 'pad',
};
const GRAVITIES = ['center', 'n', 'south_center', 'east', 'w', 'north_east', 'sw', 'face', 'faces', 'auto'];
const COLOURS = ['rgb:336699', 'f0a', '12345678', 'white', 'black', 'transparent', 'FFEEDD'];
const RADII = ['0', '7', '5:0', '1:2:3', '40:0:20:9', 'max', '999999'];
const side = fc.integer({ min: 1, max: 120 });

/** Parameters with values in their range; the selection and its order are random too. */
const valid = fc.record(
  {
    w: side,
    h: side,
    c: fc.constantFrom(...CROPS),
    ar: fc.tuple(fc.integer({ min: 1, max: 20 }), fc.constantFrom('1', '3', '7.5', '16')).map(([a, b]) => `${a}:${b}`),
    a: fc.oneof(
      fc.constantFrom('auto', '90', '180', '-90', '270', '360'),
      fc.integer({ min: -800, max: 800 }).map(String),
    ),
    g: fc.constantFrom(...GRAVITIES),
    b: fc.constantFrom(...COLOURS),
    r: fc.constantFrom(...RADII),
    q: fc.oneof(fc.integer({ min: 1, max: 100 }).map(String), fc.constant('auto')),
    f: fc.constantFrom('webp', 'jpeg', 'jpg', 'png', 'gif', 'avif', 'auto'),
  },
  { requiredKeys: [] },
);

type Valid = typeof valid extends fc.Arbitrary<infer T> ? T : never;

/** Returns the size that geometry guarantees. */
function promised(picture: Size, { w, h, c = 'fill', ar, a = '0' }: Valid): Size {
  const [width = 0, height = 1] = ar?.split(':').map(Number) ?? [];
  const angle = a === 'auto' ? 0 : ((Number(a) % 360) + 360) % 360;
  const crop = ALIASES[c] ?? (c as 'fill');
  const request = {
    ...(w && { width: w }),
    ...(h && { height: h }),
    ...(ar && { aspectRatio: width / height }),
    crop,
    angle,
  };
  return planLayout(picture, request, placeByDirection('center')).output;
}

test('a valid transformation gives the size that geometry promises, or is over a limit', async () => {
  const files = fc.constantFrom(...Object.keys(SIZES));
  await fc.assert(
    fc.asyncProperty(files, valid, fc.integer(), async (name, options, order) => {
      const parts = Object.entries(options).map(([key, value]) => `${key}_${value}`);
      const turned = parts.map((_, index) => parts[(index + Math.abs(order)) % parts.length]);
      const segment = turned.length > 0 ? turned.join(',') : 'a_auto';
      const answer = await ask(service.url, `/t/${segment}/${name}`);
      const size = promised(SIZES[name] ?? { width: 0, height: 0 }, options);
      if (Math.max(size.width, size.height) > LARGEST_SIDE) {
        expect(answer.status).toBe(400);
        expect(answer.json().message).toContain('MAX_OUTPUT_SIDE');
        return;
      }
      expect([answer.status, answer.headers['x-transform-fallback']]).toEqual([200, undefined]);
      const { width, height } = await sharp(answer.body).metadata();
      expect({ width, height }).toEqual(size);
    }),
    RUNS,
  );
});

/** Values in the right format, out of their range. */
const outOfRange = fc.constantFrom(
  ...[
    'w_0',
    'h_0',
    `w_${LARGEST_SIDE + 1}`,
    'h_99999',
    'q_0',
    'q_101',
    'ar_0:1',
    'ar_1:0',
    'f_mp4',
    'w_99999999999999999999',
  ],
);
/** Matches the format of no parameter, so a folder name. */
const unparsed = fc.oneof(
  fc.constantFrom(
    'w_-5',
    'w_',
    'w_1.5',
    'c_',
    'c_zoom',
    'g_up',
    'b_12',
    'b_rgb:xyz',
    'r_a',
    'r_1:2:3:4:5',
    'q_',
    'a_1.5',
    'f_psd',
    'f_pdf',
    'W_10',
    'zz_1',
    'w10',
    'ar_1',
    'ar_1x1',
  ),
  fc
    .string({ minLength: 1, maxLength: 8 })
    .filter((text) => /^[^/\\.,%\0]+$/.test(text) && !/^(\w+)_/.test(text))
    .map(encodeURIComponent),
);

test('an invalid transformation is 400 or 404, in JSON, whatever it is combined with', async () => {
  const bad = fc.oneof(outOfRange, unparsed);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(SIZES)), valid, bad, async (name, options, wrong) => {
      const parts = Object.entries(options).filter(([key]) => !wrong.startsWith(`${key}_`));
      const segment = [...parts.map(([key, value]) => `${key}_${value}`), wrong].join(',');
      const answer = await ask(service.url, `/t/${segment}/${name}`);
      expect([400, 404]).toContain(answer.status);
      expect(answer.json()).toMatchObject({
        error: expect.any(String),
        code: expect.any(String),
        message: expect.any(String),
      });
    }),
    RUNS,
  );
});

test('of an out of range value the message names the parameter, what was expected and what was received', async () => {
  await fc.assert(
    fc.asyncProperty(outOfRange, async (wrong) => {
      const answer = await ask(service.url, `/t/${wrong}/photo.jpg`);
      const [key, value] = wrong.split('_') as [string, string];
      expect(answer.status).toBe(400);
      expect(answer.json().message).toMatch(new RegExp(`${key}.*[Ee]xpected|[Ee]xpected.*${key}`));
      expect(answer.json().message).toContain(value);
    }),
    { ...RUNS, numRuns: 20 },
  );
});
