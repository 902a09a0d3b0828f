import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TRUSTED } from '../client.ts';
import { createRenderBudget } from '../delivery/render-budget.ts';
import { unavailable } from '../errors.ts';
import { parsePath } from '../path.ts';
import type { RenderPool } from '../render/pool.ts';
import { storedFormat } from './heic-upload.ts';

test('what a conversion that is killed has written is removed', async () => {
  const temp = await mkdtemp(join(tmpdir(), 'darkroom-heic-'));
  const run = async (_task: string, { output }: { output: string }) => {
    await writeFile(output, 'half');
    throw unavailable('The render worker ended in the middle of its work.');
  };
  const pool = { run } as unknown as RenderPool;
  const budget = createRenderBudget({ perClientMs: 0, windowMs: 1 });
  const converting = { pool, budget, temp, limits: { inputMegapixels: 100, animationFrames: 1 } };
  await expect(storedFormat(converting, TRUSTED, 'original.heic', parsePath('a.heic'))).rejects.toThrow(
    'in the middle',
  );
  expect(await readdir(temp)).toEqual([]);
  await rm(temp, { recursive: true });
});
