import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TRUSTED } from '../client.ts';
import { parseLayered } from '../image/layers/segment.ts';
import type { RenderRequest } from '../image/pipeline.ts';
import { imageSteps } from '../image/steps/index.ts';
import { type Claim, RenderPool } from './pool.ts';

const LIMITS = { inputMegapixels: 100, outputSide: 8192, outputMegapixels: 50, animationFrames: 100 };
const MEGABYTE = 1024 * 1024;

let folder: string;
let pool: RenderPool;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-heavy-'));
  await sharp({ create: { width: 400, height: 400, channels: 3, background: 'teal' } }).toFile(join(folder, 'a.png'));
  pool = new RenderPool({
    workers: 2,
    maxQueued: 100,
    maxQueuedPerClient: 100,
    maxWaitMs: 60_000,
    timeoutMs: 60_000,
    memoryBytes: 2048 * MEGABYTE,
    totalMemoryBytes: 4096 * MEGABYTE,
  });
});
afterAll(async () => {
  await pool.close();
  await rm(folder, { recursive: true, force: true });
});

function request(segment: string): RenderRequest {
  const { format: _, ...options } = parseLayered(segment, imageSteps, [], LIMITS) ?? {};
  return {
    inputs: { original: join(folder, 'a.png') },
    output: join(folder, `${++count}`),
    options,
    format: 'jpeg',
    limits: LIMITS,
  };
}

const outlined = () =>
  request(
    `w_400${Array.from({ length: 8 }, (_, n) => `~l_text:${n}${'Hello%20'.repeat(13)},fs_90,st_20:f00,a_33`).join('')}`,
  );

test('what takes long is heavy, however little memory it takes: it leaves a worker to others', async () => {
  const texts = [outlined(), outlined(), outlined()].map((wanted) => pool.runUncharged('render', wanted));
  await vi.waitUntil(() => pool.stats().rendering === 1 && pool.stats().queued === 2, { timeout: 60_000, interval: 1 });
  expect(await pool.runUncharged('render', request('w_20'))).toMatchObject({ outcome: 'rendered', width: 20 });
  expect(pool.stats().queued).toBeGreaterThan(0);
  for (const text of texts) expect(await text).toMatchObject({ outcome: 'rendered' });
});

test('a task that is heavy beforehand has no more than half of the workers from its beginning', async () => {
  const claim: Claim = { clients: () => [TRUSTED], begin: () => undefined, charge: () => undefined, isHeavy: true };
  const blurred = [1, 2, 3].map((sigma) =>
    pool.run('render', request(`w_3000,h_2000,e_blur:${sigma}`), undefined, claim),
  );
  await vi.waitUntil(() => pool.stats().rendering === 1, { timeout: 60_000, interval: 1 });
  expect(pool.stats().queued).toBe(2);
  for (const blur of blurred) expect(await blur).toMatchObject({ outcome: 'rendered' });
});
