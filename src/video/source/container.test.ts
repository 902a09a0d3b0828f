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

/** Makes boxes without content, and one that is shorter than it claims. */
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

/** Makes a box with its content. */
const full = (type: string, ...content: Buffer[]) => {
  const bytes = Buffer.concat(content);
  return Buffer.concat([box(type, 8 + bytes.length), bytes]);
};

const numbers = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

test('a run in a fragment is read to the end of its box at most', async () => {
  const track = full(
    'trak',
    full('tkhd', numbers(3, 0, 0, 1), Buffer.alloc(72)),
    full(
      'mdia',
      full('mdhd', numbers(0, 0, 0, 1000, 1000, 0)),
      full('hdlr', numbers(0, 0), Buffer.from('vide'), Buffer.alloc(13)),
      full('minf', full('stbl', full('stts', numbers(0, 0)))),
    ),
  );
  const runs = Buffer.concat(Array.from({ length: 990 }, () => full('trun', numbers(0x100, 131_032))));
  const part = full('traf', full('tfhd', numbers(0, 1)), full('tfdt', numbers(0, 0)), runs);
  const parts = Buffer.concat(Array.from({ length: 30 }, () => part));
  const fragment = full('moof', parts, full('free', Buffer.alloc(2 ** 20 - parts.length - 16)));
  const file = join(folder, 'runs.mp4');
  // Read to the end of each fragment, these would be thirty billion samples.
  const start = full('ftyp', Buffer.from('isom\0\0\x02\0isomiso2'));
  await writeFile(file, Buffer.concat([start, full('moov', track), ...Array(8).fill(fragment), full('mdat')]));
  expect((await inspectContainer(file)).container).toBe('mov');
});

test('the duration of a WebM with many clusters is not contradicted', async () => {
  const studio = await openStudio();
  try {
    const coding = ['-c:a', 'libopus', '-b:a', '6k', '-frame_duration', '20', '-cluster_time_limit', '100'];
    const { contradictedEnd } = await inspectContainer(await studio.make('clusters.webm', ...tone(500), ...coding));
    expect(contradictedEnd).toBeUndefined();
  } finally {
    await studio.close();
  }
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
