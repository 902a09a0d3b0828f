import { expect, test } from 'vitest';
import { decoderThreads, encoderThreads, isLarge } from './threads.ts';

const SIZES = {
  '180p': { width: 320, height: 180 },
  '720p': { width: 1280, height: 720 },
  '1080p': { width: 1920, height: 1080 },
  '4K': { width: 3840, height: 2160 },
  '8K': { width: 7680, height: 4320 },
} as const;

test.each([
  ['180p', 1, 8],
  ['720p', 2, 8],
  ['1080p', 5, 8],
  ['4K', 8, 2],
  ['8K', 8, 1],
] as const)('of eight threads, an encoder of %s uses %d and a decoder %d', (name, encoding, decoding) => {
  expect([encoderThreads(SIZES[name], 8), decoderThreads(SIZES[name], 8)]).toEqual([encoding, decoding]);
});

test('never more threads than there are, and at least one; where nothing bounds them, ffmpeg chooses', () => {
  for (const size of Object.values(SIZES)) expect([encoderThreads(size, 1), decoderThreads(size, 1)]).toEqual([1, 1]);
  expect([encoderThreads(SIZES['4K'], undefined), decoderThreads(SIZES['4K'], undefined)]).toEqual([
    undefined,
    undefined,
  ]);
});

test('from 1080p on a frame is large', () => {
  expect(Object.values(SIZES).map(isLarge)).toEqual([false, false, true, true, true]);
});
