import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FindRequest, FindResult } from '../image/analysis/find.ts';
import { parsePath } from '../path.ts';
import { BACKGROUND, type RenderPool } from '../render/pool.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import { createAnalysisCache } from './analysis-cache.ts';

const ORDER = {
  path: parsePath('a.jpg'),
  version: '1',
  frameTime: undefined,
  page: undefined,
  fonts: undefined,
  input: '/nowhere',
  claim: BACKGROUND,
};
const FACES = [{ kind: 'faces' }] as const;
const { signal } = new AbortController();

let temp: string;
beforeEach(async () => {
  temp = await mkdtemp(join(tmpdir(), 'darkroom-findings-'));
});
afterEach(() => rm(temp, { recursive: true, force: true }));

/** Makes a render pool that finds this, or fails for this reason. */
function analysis(found: object, result: FindResult = { outcome: 'found' }) {
  const cached = new Map<string, Buffer>();
  let looks = 0;
  const run = async (_task: string, { output }: FindRequest) => {
    looks++;
    await writeFile(output, JSON.stringify(found));
    return result;
  };
  const variants = {
    get: async (_path: string, key: string) => cached.has(key) && { bytes: cached.get(key) },
    put: async (_path: string, key: string) => {
      const bytes = Buffer.from(JSON.stringify(found));
      cached.set(key, bytes);
      return { bytes };
    },
  } as unknown as VariantStore;
  const limits = { inputMegapixels: 1, animationFrames: 1 };
  const findIn = createAnalysisCache({ variants, pool: { run } as unknown as RenderPool, limits, temp });
  return { find: (fonts?: string) => findIn(FACES, { ...ORDER, fonts }, signal), looks: () => looks, cached };
}

test('what is found is kept', async () => {
  const { find, looks } = analysis({ faces: [] });
  expect(await find()).toEqual({ outcome: 'found', analysis: { faces: { faces: [] } } });
  expect(await find()).toEqual({ outcome: 'found', analysis: { faces: { faces: [] } } });
  expect([looks(), await readdir(temp)]).toEqual([1, []]);
});

test('with other fonts it is looked for again', async () => {
  const { find, looks } = analysis({ faces: [] });
  for (const fonts of ['these', 'those', 'these']) await find(fonts);
  expect(looks()).toBe(2);
});

test('a guess in the place of faces that could not be looked for is used, and not kept', async () => {
  const guess = { interest: { columns: 1, rows: 1, cells: [1] }, areFacesUnknown: true };
  const { find, looks, cached } = analysis(guess);
  expect(await find()).toEqual({ outcome: 'found', analysis: { faces: guess } });
  expect(await find()).toEqual({ outcome: 'found', analysis: { faces: guess } });
  expect([looks(), cached.size, await readdir(temp)]).toEqual([2, 0, []]);
});

test('why nothing can be found is the result, so that nothing is shown as if there were nothing to find', async () => {
  const failure = { outcome: 'endless drawing', reason: 'It has no end.' } as const;
  const { find, cached } = analysis({}, failure);
  expect(await find()).toEqual(failure);
  expect(cached.size).toBe(0);
});
