import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ClaimedDurations, withDurations } from '../../../test/mp4-patches.ts';
import { toneAt } from '../../../test/sound-samples.ts';
import { H264, openStudio, type Studio, settings } from '../../../test/video-samples.ts';
import { makeProduct } from '../make-product.ts';
import { lengthOf } from './frame-times.ts';
import { probeVideo, requireContainer } from './probe.ts';
import { findAudio } from './probe-audio.ts';

const SECONDS = 6;
const TRACKS = ['-f', 'lavfi', '-i', `testsrc2=s=64x64:r=25:d=${SECONDS}`, ...toneAt(44_100, SECONDS)];
const FRAGMENTED = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-g', '25'];
const encodeStill = () => Promise.reject(new Error('Nothing is encoded here.'));

let studio: Studio;
let film: Buffer;
let fragmented: Buffer;
let webm: Buffer;
let live: Buffer;
beforeAll(async () => {
  studio = await openStudio();
  const make = async (name: string, ...args: string[]) => readFile(await studio.make(name, ...TRACKS, ...args));
  film = await make('film.mp4', ...H264, '-c:a', 'aac');
  fragmented = await make('fragmented.mp4', ...H264, '-c:a', 'aac', ...FRAGMENTED);
  const vpx = ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus', '-cluster_time_limit', '1000'];
  webm = await make('film.webm', ...vpx);
  live = await make('live.webm', ...vpx, '-live', '1');
});
afterAll(() => studio.close());

async function written(bytes: Buffer, extension = 'mp4'): Promise<string> {
  const file = studio.path(`claims.${extension}`);
  await writeFile(file, bytes);
  return file;
}

/** Reads every length of a file. */
async function lengths(file: string) {
  const probe = await probeVideo(studio.tools, file);
  const sound = await findAudio(studio.tools, await requireContainer(file), file);
  return [probe.duration, probe.videoDuration, probe.details.duration, sound?.duration];
}

function isNear(seconds: number | undefined, expected: number): boolean {
  return seconds !== undefined && Math.abs(seconds - expected) < 0.06;
}

/** Finds the bytes of a duration in Matroska, after its ID and size. */
function claimIn(file: Buffer, seconds: number): Buffer {
  const bytes = Buffer.from(file);
  const at = bytes.indexOf(Buffer.from([0x44, 0x89, 0x88]));
  bytes.writeDoubleBE(seconds * 1000, at + 3);
  // Stream tags contain it too.
  const clock = `00:00:${seconds.toFixed(9).padStart(12, '0')}`;
  for (let tag = bytes.indexOf('00:00:06.'); tag >= 0; tag = bytes.indexOf('00:00:06.', tag + 1)) {
    bytes.write(clock.slice(0, 18), tag, 'latin1');
  }
  return bytes;
}

/** Makes clusters of unknown size, as browsers record them. */
function withOpenClusters(file: Buffer): Buffer {
  const bytes = Buffer.from(file);
  const id = Buffer.from([0x1f, 0x43, 0xb6, 0x75, 0x01]);
  for (let at = bytes.indexOf(id); at >= 0; at = bytes.indexOf(id, at + 1)) bytes.fill(0xff, at + 5, at + 12);
  return bytes;
}

const CLAIMS: readonly ClaimedDurations[] = [
  { mdhd: 0.2 },
  { mdhd: 0 },
  { mdhd: 60 },
  { mvhd: 0.2 },
  { mvhd: 0 },
  { mvhd: 60 },
  { tkhd: 0.2 },
  { tkhd: 0 },
  { mvhd: 0.2, tkhd: 0.2, mdhd: 0.2 },
  { mvhd: 0, tkhd: 0, mdhd: 0 },
  { mvhd: 60, tkhd: 60, mdhd: 60 },
];

describe('the samples of a file are believed against', () => {
  test.each(CLAIMS)('%j in MP4', async (claims) => {
    const file = await written(withDurations(film, claims));
    for (const length of await lengths(file)) expect(length).toSatisfy((value: number) => isNear(value, SECONDS));
    const { details } = await probeVideo(studio.tools, file);
    expect(Math.abs((details.bitrate ?? 0) / ((8 * film.length) / SECONDS) - 1)).toBeLessThan(0.05);
  });

  test.each(CLAIMS)('%j in MP4 of fragments', async (claims) => {
    const file = await written(withDurations(fragmented, claims));
    for (const length of await lengths(file)) expect(length).toSatisfy((value: number) => isNear(value, SECONDS));
  });

  test.each([0.2, 0, 60])('%d s in WebM', async (seconds) => {
    for (const bytes of [webm, withOpenClusters(webm)]) {
      for (const length of await lengths(await written(claimIn(bytes, seconds), 'webm'))) {
        expect(length).toSatisfy((value: number) => isNear(value, SECONDS));
      }
    }
  });

  test('a wrong tag of a stream in WebM', async () => {
    const bytes = Buffer.from(webm);
    bytes.write('00:10:00.', bytes.indexOf('00:00:06.'), 'latin1');
    for (const length of await lengths(await written(bytes, 'webm'))) {
      expect(length).toSatisfy((value: number) => isNear(value, SECONDS));
    }
  });
});

describe('a file whose claims are wrong', () => {
  test('is trimmed, heard and shown as if they were right', async () => {
    const file = await written(withDurations(film, { mvhd: 0.2, tkhd: 0.2, mdhd: 0.2 }));
    const trim = { startOffset: 2, endOffset: 4 };
    expect(await studio.times(await studio.transcode(file, trim))).toHaveLength(50);
    const output = studio.path('sound.mp3');
    await makeProduct(
      studio.tools,
      { ...settings, encodeStill },
      { input: file, output, options: { ...trim, audio: 'mp3' } },
    );
    expect(isNear(Number((await studio.stream(output, 'a')).duration), 2)).toBe(true);
    expect(isNear(await lengthOf(studio.tools, file, await probeVideo(studio.tools, file), undefined), SECONDS)).toBe(
      true,
    );
    await studio.extractFrame({ input: file, output: studio.path('frame.png'), time: 3 });
  });
});

describe('correct durations are used', () => {
  test('also where an edit list shows a part alone', async () => {
    const file = await studio.make('part.mp4', '-ss', '2', '-i', await written(film), '-c', 'copy', '-t', '2');
    const { contradictedEnd } = await requireContainer(file);
    expect(contradictedEnd).toBeUndefined();
  });

  test('in every container', async () => {
    for (const [bytes, extension] of [
      [film, 'mp4'],
      [fragmented, 'mp4'],
      [webm, 'webm'],
      [withOpenClusters(webm), 'webm'],
      [live, 'webm'],
    ] as const) {
      expect((await requireContainer(await written(bytes, extension))).contradictedEnd).toBeUndefined();
    }
  });
});
