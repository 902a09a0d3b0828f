import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ImageStep } from '../../src/image/step.ts';
import { parsePath } from '../../src/path.ts';
import { gradient, quadrants, type Shown, type Studio, solid } from './studio.ts';

// Follows docs/adding-a-parameter.md: extracts the code from the page, adds it to the list of steps and changes nothing
// else.

const ROOT = new URL('../../', import.meta.url);
const LIST = '../../src/image/steps/index.ts';
const WHITE = [255, 255, 255, 255] as const;

type Step = ImageStep<string, unknown>;

let folder: string;
let softness: Step;
let stripe: Step;
let studio: Studio | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-steps-'));
  const page = await readFile(new URL('docs/adding-a-parameter.md', ROOT), 'utf8');
  const blocks = [...page.matchAll(/^( *)```ts\n(.*?)^ *```$/gms)].map(([, , code = '']) => code);
  const steps = await Promise.all(blocks.map(loadStep));
  [softness, stripe] = steps as [Step, Step];
});
afterEach(async () => {
  await studio?.close();
  studio = undefined;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Loads the step of a code block, as a file of `src/image/steps/`. */
async function loadStep(code: string, index: number): Promise<Step> {
  const steps = new URL('src/image/steps/', ROOT);
  const file = join(folder, `step-${index}.ts`);
  const absolute = code.replace(/ from '(\..*)';/g, (_, path) => ` from '${fileURLToPath(new URL(path, steps))}';`);
  await writeFile(file, absolute);
  const module: Record<string, Step> = await import(pathToFileURL(file).href);
  const [step] = Object.values(module);
  if (!step) throw new Error(`block ${index} of the page exports no step`);
  return step;
}

/** Returns the service's modules with steps added to the list, each before the named one. */
async function withSteps(added: readonly { step: Step; before: string }[]) {
  vi.resetModules();
  vi.doMock(LIST, async (original) => {
    const { imageSteps } = await original<{ imageSteps: readonly Step[] }>();
    const list = added.reduce<readonly Step[]>((steps, { step, before }) => {
      const at = steps.findIndex(({ name }) => name === before);
      return steps.toSpliced(at, 0, step);
    }, imageSteps);
    return { imageSteps: list };
  });
  const { openStudio } = await import('./studio.ts');
  studio = await openStudio();
  return studio;
}

const copyOf = (step: Step, name: string, key: string): Step => ({ ...step, name, key });

/** Returns the image in a file, blurred by sharp alone. */
async function blurred(file: string, sigma: number): Promise<Buffer> {
  return sharp(file).blur(sigma).ensureAlpha().raw().toBuffer();
}

function farthest({ width, height, pixel }: Shown, wanted: Buffer): number {
  let most = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (const [index, value] of pixel(x, y).entries()) {
        most = Math.max(most, Math.abs(value - (wanted[(y * width + x) * 4 + index] ?? 0)));
      }
    }
  }
  return most;
}

/** Counts the partially transparent pixels along the top edge. */
function softPixels({ width, pixel }: Shown): number {
  return Array.from({ length: width }, (_, x) => pixel(x, 0)[3]).filter((alpha) => alpha > 5 && alpha < 250).length;
}

describe('a step that is written as the page says', () => {
  test('is parsed, has a canonical text and makes a variant of its own', async () => {
    await withSteps([{ step: softness, before: 'quality' }]);
    const { parseSegment, formatOptions } = await import('../../src/transformation/transformation.ts');
    const { imageSteps } = await import('../../src/image/steps/index.ts');
    const { requestedImage } = await import('../../src/delivery/requested-image.ts');
    const limits = { outputSide: 8192 };
    const options = parseSegment('sf_10,w_300', imageSteps, [], limits);
    expect(options).toEqual({ width: 300, softness: 10 });
    expect(formatOptions(options ?? {}, imageSteps)).toBe('w_300,sf_10');
    expect(() => parseSegment('sf_101', imageSteps, [], limits)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('from 1 to 100') }) as Error,
    );
    const keyOf = (segment: string) => {
      const read = parseSegment(segment, imageSteps, [], limits) ?? {};
      const inputs = { original: { path: parsePath('a.jpg'), version: 'v' } };
      return requestedImage(inputs, { options: read, frameTime: undefined }, undefined).key;
    };
    expect(new Set(['w_300', 'w_300,sf_10', 'sf_10,w_300', 'w_300,sf_11'].map(keyOf)).size).toBe(3);
  });

  test('is in the reference, with its example', async () => {
    await withSteps([{ step: softness, before: 'quality' }]);
    const { urlReference, examples, renderExample } = await import('../../scripts/url-reference.ts');
    expect(urlReference()).toContain('### `sf` softness\n\nBlurs the image.\n\nValue: a whole number from 1 to 100.');
    const example = examples().find(({ transformation }) => transformation === 'w_300,sf_10');
    const output = join(folder, example?.file ?? '');
    await renderExample('w_300,sf_10', output);
    expect(await sharp(output).metadata()).toMatchObject({ format: 'jpeg', width: 300 });
  });

  test.each(['png', 'jpeg', 'webp'] as const)(
    'takes effect at the size and in the format of the original: %s',
    async (format) => {
      const { keep, render } = await withSteps([{ step: softness, before: 'quality' }]);
      const input = await keep('map', await quadrants(200, 100).toFormat(format, { quality: 100 }).toBuffer());
      const result = await render(input, 'sf_8,q_100', format);
      expect(result).toMatchObject({ format, width: 200, height: 100 });
      expect(farthest(result, await blurred(input, 8))).toBeLessThan(format === 'png' ? 2 : 24);
    },
  );

  test('takes effect at the size of the result, on grey and on 16 bits', async () => {
    const { keep, render } = await withSteps([{ step: softness, before: 'quality' }]);
    for (const space of ['b-w', 'rgb16', 'grey16', 'srgb'] as const) {
      const input = await keep(`map-${space}`, await gradient(200, 100).toColourspace(space).png().toBuffer());
      const small = await render(input, 'w_100');
      const result = await render(input, 'w_100,sf_5');
      expect(farthest(result, await blurred(small.file, 5)), space).toBeLessThanOrEqual(2);
    }
  });
});

describe('effects take place in the order of the list', () => {
  test('a blur before the radius leaves its corners hard, one behind it softens them', async () => {
    const { keep, render } = await withSteps([
      { step: softness, before: 'radius' },
      { step: copyOf(softness, 'late', 'sff'), before: 'quality' },
    ]);
    const input = await keep('red', await solid(200, 200, [255, 0, 0, 255]).png().toBuffer());
    const plain = await render(input, 'r_40');
    const before = await render(input, 'sf_10,r_40');
    const behind = await render(input, 'r_40,sff_10');
    expect(softPixels(before)).toBe(softPixels(plain));
    expect(before.corners()).toEqual(plain.corners());
    expect(softPixels(behind)).toBeGreaterThan(softPixels(plain) + 10);
    expect(before.at(0, 100)).toBe('red');
    expect(behind.at(0, 100)).toBe('red');
  });

  test('a blur before the bars leaves them flat, one behind them does not', async () => {
    const { keep, render } = await withSteps([
      { step: softness, before: 'background' },
      { step: copyOf(softness, 'late', 'sff'), before: 'quality' },
    ]);
    const input = await keep('red', await solid(100, 50, [255, 0, 0, 255]).png().toBuffer());
    const before = await render(input, 'w_100,h_100,c_pad,sf_6');
    const behind = await render(input, 'w_100,h_100,c_pad,sff_6');
    expect([before.at(50, 24), before.at(50, 25)]).toEqual(['white', 'red']);
    const [, green] = behind.pixel(50, 24);
    expect(green).toBeGreaterThan(80);
    expect(green).toBeLessThan(200);
  });

  test('two blurs both show, and so does one before anything else', async () => {
    const { keep, render } = await withSteps([
      { step: softness, before: 'angle' },
      { step: copyOf(softness, 'late', 'sff'), before: 'quality' },
    ]);
    const exif = { orientation: 6 };
    const input = await keep('map', await quadrants(120, 80).withMetadata(exif).png().toBuffer());
    const upright = await render(input, '');
    const once = await render(input, 'sf_4,a_90');
    const twice = await render(input, 'sf_4,sff_4,a_90');
    const turned = await sharp(upright.file).blur(4).png().toBuffer();
    expect(farthest(once, await sharp(turned).rotate(90).ensureAlpha().raw().toBuffer())).toBeLessThanOrEqual(2);
    expect(farthest(twice, await blurred(once.file, 4))).toBeLessThanOrEqual(2);
  });

  test('the overlays of two steps both show, also beside cut corners and on either side of a blur', async () => {
    const low: Step = {
      ...copyOf(stripe, 'low', 'sl'),
      effect: (paint, plan) => {
        const effect = stripe.effect?.(paint, plan);
        if (!effect || !('overlays' in effect)) return undefined;
        return {
          overlays: () => effect.overlays().map((overlay) => ({ ...overlay, top: plan.layout.output.height - 5 })),
        };
      },
    };
    const { keep, render } = await withSteps([
      { step: stripe, before: 'radius' },
      { step: low, before: 'quality' },
      { step: copyOf(softness, 'between', 'sf'), before: 'low' },
    ]);
    const input = await keep('white', await solid(100, 100, WHITE).png().toBuffer());
    const both = await render(input, 'st_f00,sl_00f');
    expect(both.hasAlpha).toBe(false);
    expect([both.at(50, 2), both.at(50, 50), both.at(50, 97)]).toEqual(['red', 'white', 'blue']);
    const round = await render(input, 'st_f00,sl_00f,r_30');
    expect([round.at(50, 2), round.at(50, 97), round.at(1, 1), round.at(1, 98)]).toEqual([
      'red',
      'blue',
      'transparent',
      'blue',
    ]);
    const apart = await render(input, 'st_f00,sl_00f,sf_10');
    expect([apart.at(50, 97), apart.at(50, 94)]).toEqual(['blue', 'white']);
    expect(apart.pixel(50, 2)[1]).toBeGreaterThan(60);
  });

  test('overlays have their own colours on grey and on 16 bits', async () => {
    const { keep, render } = await withSteps([{ step: stripe, before: 'quality' }]);
    for (const space of ['b-w', 'rgb16', 'grey16'] as const) {
      const input = await keep(space, await solid(60, 40, WHITE).toColourspace(space).png().toBuffer());
      expect((await render(input, 'st_f00')).at(30, 2), space).toBe('red');
    }
  });
});
