import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inspectContainer } from './container.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-container-'));
});
afterAll(() => rm(folder, { recursive: true }));

function box(type: string, size: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(size);
  head.write(type, 4, 'latin1');
  return head;
}

/** Boxes without content, and one that promises more than there is. */
async function cutShortAfter(empty: number): Promise<string> {
  const file = join(folder, `${empty}.mp4`);
  await writeFile(file, Buffer.concat([...Array.from({ length: empty }, () => box('free', 8)), box('mdat', 1000)]));
  return file;
}

test('a box that promises more than there is makes the file cut short', async () => {
  expect(await inspectContainer(await cutShortAfter(1))).toEqual({
    container: 'mov',
    isEmpty: false,
    isCutShort: true,
  });
});

test('a file of countless boxes is not walked to its end', async () => {
  expect((await inspectContainer(await cutShortAfter(30_000))).isCutShort).toBe(false);
});
