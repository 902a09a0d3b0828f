import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { TrashItem } from '../catalog/retained-rows.ts';
import { unavailable } from '../errors.ts';
import { parsePath } from '../path.ts';
import { type TrashPreviewOptions, TrashPreviews } from './trash-previews.ts';

const ITEM: TrashItem = {
  id: 'one',
  path: parsePath('broken.jpg'),
  kind: 'image',
  size: 4,
  fileCount: 1,
  deletedAt: 1,
  expiresAt: 2,
};

test('a file that cannot be decoded is tried once, and one for which there was no capacity again', async () => {
  const temp = await mkdtemp(join(tmpdir(), 'darkroom-previews-'));
  let opened = 0;
  const run = async () => {
    if (opened === 1) throw unavailable('The render queue is full.');
    return { outcome: 'undecodable', reason: 'No image.' };
  };
  const previews = new TrashPreviews({
    temp,
    limits: {},
    frames: {},
    retention: { open: async () => Readable.from([`${++opened}`]) },
    pool: { run },
  } as unknown as TrashPreviewOptions);
  const read = () => previews.read(ITEM, '', new AbortController().signal).catch(({ status }) => status);
  try {
    expect([await read(), await read(), await read(), opened]).toEqual([503, 422, 422, 2]);
    expect(await readdir(temp)).toEqual([]);
  } finally {
    await rm(temp, { recursive: true });
  }
});
