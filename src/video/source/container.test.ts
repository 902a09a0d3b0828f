import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../../test/fuzz/seeded-random.ts';
import { H264, openStudio, redLeftBlueRight, tone } from '../../../test/video-samples.ts';
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
    contradictedEnd: undefined,
    hiddenTracks: [],
  });
});

test('a file of countless boxes is not walked to its end', async () => {
  expect((await inspectContainer(await cutShortAfter(30_000))).isCutShort).toBe(false);
});

test('damaged heads are inspected without an error, and never for long', async () => {
  const studio = await openStudio();
  const fragments = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof'];
  const codings = [
    ['a.mp4', ...H264, '-c:a', 'aac', '-movflags', '+faststart'],
    ['b.mp4', ...H264, '-c:a', 'aac', ...fragments],
    ['c.webm', '-c:v', 'libvpx', '-c:a', 'libopus'],
  ] as const;
  const { next, below } = seededRandom(38);
  try {
    for (const [name, ...coding] of codings) {
      const whole = await readFile(await studio.make(name, ...redLeftBlueRight('32x32'), ...tone(1), ...coding));
      for (let round = 0; round < 200; round++) {
        const bytes = Buffer.from(whole);
        const changes = 1 + below(8);
        for (let change = 0; change < changes; change++) {
          // Most changes hit the heads.
          const at = below(next() < 0.9 ? Math.min(3000, bytes.length - 8) : bytes.length - 8);
          if (next() < 0.5) bytes[at] = below(256);
          else bytes.writeUInt32BE(next() < 0.5 ? 0xffffffff : below(2 ** 16), at);
        }
        const file = join(folder, name);
        await writeFile(file, bytes);
        const { contradictedEnd = 0 } = await inspectContainer(file);
        expect(contradictedEnd).not.toBeNaN();
      }
    }
  } finally {
    await studio.close();
  }
});
