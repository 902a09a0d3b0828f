import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { examples, paintWithShippedFonts, renderExample, urlReference } from '../scripts/url-reference.ts';

const docs = join(import.meta.dirname, '..', 'docs');

test('the URL reference is what the declarations of the parameters say', async () => {
  expect(await readFile(join(docs, 'url-reference.md'), 'utf8')).toBe(urlReference());
});

test('every example has its picture, made by the pipeline as it is', async () => {
  expect((await readdir(join(docs, 'examples'))).sort()).toEqual(
    examples()
      .map(({ file }) => file)
      .sort(),
  );
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-examples-'));
  await paintWithShippedFonts(folder);
  for (const { transformation, file } of examples()) {
    await renderExample(transformation, join(folder, file));
    const [made, shown] = await Promise.all([folder, join(docs, 'examples')].map((place) => pixels(join(place, file))));
    expect([transformation, made?.info.width, made?.info.height]).toEqual([
      transformation,
      shown?.info.width,
      shown?.info.height,
    ]);
    expect(meanDifference(made?.data, shown?.data), transformation).toBeLessThan(1);
  }
  await rm(folder, { recursive: true });
});

function pixels(file: string) {
  return sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
}

function meanDifference(a = Buffer.alloc(0), b = Buffer.alloc(0)): number {
  let sum = 0;
  for (const [at, value] of a.entries()) sum += Math.abs(value - (b[at] ?? 0));
  return sum / a.length;
}
