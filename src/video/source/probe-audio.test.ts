import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hear, toneAt } from '../../../test/sound-samples.ts';
import { openStudio, type Studio, settings } from '../../../test/video-samples.ts';
import { makeProduct } from '../make-product.ts';
import { probeAudio } from './probe-audio.ts';

const SECONDS = 40;
/** Silence first, then noise: the first frames have another bit rate than the others. */
const UNEVEN = ['-f', 'lavfi', '-i', `anoisesrc=d=${SECONDS}:r=44100:a=0.3,volume='if(lt(t,20),0,1)':eval=frame`];
const encodeStill = () => Promise.reject(new Error('No image is made of audio.'));

let studio: Studio;
beforeAll(async () => {
  studio = await openStudio();
});
afterAll(() => studio.close());

const durationOf = async (file: string) => (await probeAudio(studio.tools, file)).duration;

async function written(name: string, ...parts: Buffer[]): Promise<string> {
  await writeFile(studio.path(name), Buffer.concat(parts));
  return studio.path(name);
}

describe('the duration of stored audio is that of its frames', () => {
  test.each([
    ['MP3 of a variable rate without a count', ['-c:a', 'libmp3lame', '-q:a', '2', '-write_xing', '0']],
    ['MP3 of a variable rate with a count', ['-c:a', 'libmp3lame', '-q:a', '2']],
    ['MP3 of a constant rate', ['-c:a', 'libmp3lame', '-b:a', '128k', '-write_xing', '0']],
    ['MP3 of 22 kHz', ['-c:a', 'libmp3lame', '-q:a', '4', '-ar', '22050', '-write_xing', '0']],
    ['MP3 of 8 kHz', ['-c:a', 'libmp3lame', '-q:a', '4', '-ar', '8000', '-write_xing', '0']],
    ['MP2', ['-c:a', 'mp2', '-f', 'mp2']],
    ['ADTS', ['-c:a', 'aac', '-f', 'adts']],
  ] as const)('%s', async (_what, coding) => {
    const file = await studio.make('uneven.mp3', ...UNEVEN, ...coding);
    expect(Math.abs(((await durationOf(file)) ?? 0) - SECONDS)).toBeLessThan(0.2);
    const probe = await probeAudio(studio.tools, file);
    const bitrate = (8 * (await readFile(file)).length) / SECONDS;
    expect(Math.abs((probe.bitrate ?? 0) / bitrate - 1)).toBeLessThan(0.02);
  });

  test('of two MP3 in one, whose first one counts its own frames', async () => {
    const one = await readFile(await studio.make('one.mp3', ...toneAt(44_100, 5), '-q:a', '2', '-id3v2_version', '0'));
    const two = await written('two.mp3', one, one);
    expect(Math.abs(((await durationOf(two)) ?? 0) - 10)).toBeLessThan(0.2);
  });

  test('of ADTS behind a tag and a cover', async () => {
    const adts = await readFile(await studio.make('plain.aac', ...toneAt(44_100, 5), '-f', 'adts'));
    const tag = Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\x4e\x10', 'latin1'), Buffer.alloc(0x4e * 128 + 0x10)]);
    const file = await written('tagged.mp3', tag, adts);
    expect(Math.abs(((await durationOf(file)) ?? 0) - 5)).toBeLessThan(0.2);
    const output = studio.path('made.mp3');
    const job = { input: file, output, options: { audio: 'mp3' }, source: 'sound' } as const;
    await makeProduct(studio.tools, { ...settings, encodeStill }, job);
    expect(Math.abs((await hear(studio, output)).seconds - 5)).toBeLessThan(0.2);
  });

  test('of WAV that is shorter or longer than it says', async () => {
    const wav = await readFile(await studio.make('whole.wav', ...toneAt(44_100, 4)));
    const at = wav.indexOf('data') + 4;
    expect(
      Math.abs(((await durationOf(await written('cut.wav', wav.subarray(0, wav.length / 2)))) ?? 0) - 2),
    ).toBeLessThan(0.05);
    const endless = Buffer.from(wav);
    endless.writeUInt32LE(0xffffffff, at);
    endless.writeUInt32LE(0xffffffff, 4);
    expect(Math.abs(((await durationOf(await written('endless.wav', endless))) ?? 0) - 4)).toBeLessThan(0.05);
  });

  test('of RF64', async () => {
    const file = await studio.make('long.wav', ...toneAt(44_100, 4), '-rf64', 'always');
    expect(Math.abs(((await durationOf(file)) ?? 0) - 4)).toBeLessThan(0.05);
  });

  test('a part of a video with a wrong duration exists', async () => {
    const file = await studio.make('part.mp3', ...UNEVEN, '-c:a', 'libmp3lame', '-q:a', '2', '-write_xing', '0');
    const output = studio.path('part');
    const options = { audio: 'mp3', startOffset: 30, endOffset: 39 } as const;
    await makeProduct(studio.tools, { ...settings, encodeStill }, { input: file, output, options, source: 'sound' });
    expect(Math.abs((await hear(studio, output)).seconds - 9)).toBeLessThan(0.2);
  });
});
