import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { colourPerSecond, H264, openStudio, type Studio, settings, tone } from '../../test/video-samples.ts';
import { runFfprobe } from './ffmpeg/run.ts';
import { makeProduct } from './make-product.ts';
import type { SourceKind } from './step.ts';
import type { VideoOptions } from './steps/index.ts';

const encodeStill = () => Promise.reject(new Error('No image is made of audio.'));
const NAMES = ['-metadata', 'title=Secret', '-metadata', 'location=+52.5+013.4/', '-metadata:s:a:0', 'artist=Somebody'];

let studio: Studio;
let film: string;
beforeAll(async () => {
  studio = await openStudio();
  const coded = [...H264, '-c:a', 'aac', '-shortest', ...NAMES];
  film = await studio.make('film.mp4', ...colourPerSecond('32x32', 5), ...tone(4), ...coded);
});
afterAll(() => studio.close());

let count = 0;
async function audioOf(input: string, options: VideoOptions, source: SourceKind = 'video'): Promise<string> {
  const output = studio.path(`sound-${++count}`);
  await makeProduct(studio.tools, { ...settings, encodeStill }, { input, output, options, source });
  return output;
}

/** Reads everything that ffprobe reports about a file, and its length in seconds. */
async function inspect(file: string) {
  const text = await runFfprobe(studio.tools, ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', file]);
  const { format, streams } = JSON.parse(text) as { format: Record<string, string>; streams: Record<string, string>[] };
  return { text, streams, duration: Number(format.duration), container: format.format_name };
}

describe('audio alone', () => {
  test.each([
    ['aac', 'aac', 'mov'],
    ['opus', 'opus', 'ogg'],
    ['mp3', 'mp3', 'mp3'],
  ] as const)('of a video in %s has its length, one stream and no names', async (audio, codec, container) => {
    const sound = await inspect(await audioOf(film, { audio }));
    expect(sound.streams.map(({ codec_name }) => codec_name)).toEqual([codec]);
    expect(sound.container).toContain(container);
    expect(Math.abs(sound.duration - 4)).toBeLessThan(0.06);
    for (const secret of ['Secret', 'Somebody', '52.5']) expect(sound.text).not.toContain(secret);
  });

  test.each([
    ['wav', [...NAMES]],
    ['mp3', ['-b:a', '64k', ...NAMES]],
    ['ogg', ['-c:a', 'libvorbis', ...NAMES]],
  ] as const)('of stored %s is coded anew, without names', async (extension, coding) => {
    const stored = await studio.make(`stored.${extension}`, ...tone(2), ...coding);
    for (const audio of ['aac', 'opus', 'mp3'] as const) {
      const sound = await inspect(await audioOf(stored, { audio }, 'sound'));
      expect(sound.streams.map(({ codec_name }) => codec_name)).toEqual([audio]);
      expect(Math.abs(sound.duration - 2)).toBeLessThan(0.08);
      for (const secret of ['Secret', 'Somebody', '52.5']) expect(sound.text).not.toContain(secret);
    }
  });

  test('a cover is not part of it', async () => {
    const image = ['-f', 'lavfi', '-i', 'color=red:s=32x32:d=1:r=1', '-map', '0:a', '-map', '1:v', '-c:v', 'mjpeg'];
    const attached = ['-disposition:v', 'attached_pic', '-id3v2_version', '3'];
    const cover = await studio.make('cover.mp3', ...tone(1), ...image, ...attached);
    expect((await inspect(cover)).streams).toHaveLength(2);
    expect((await inspect(await audioOf(cover, { audio: 'aac' }, 'sound'))).streams).toHaveLength(1);
  });

  test.each(['mp4', 'mp3', 'wav', 'ogg'] as const)('so and eo cut it at their times in %s', async (extension) => {
    // Loud in the second second alone.
    const beep = ['-f', 'lavfi', '-i', "sine=440:d=4,volume='if(between(t,1,2),1,0)':eval=frame"];
    const coding = { mp4: [...colourPerSecond('32x32', 5), ...H264], ogg: ['-c:a', 'libvorbis'], mp3: [], wav: [] };
    const source = await studio.make(`beep.${extension}`, ...beep, ...coding[extension]);
    const kind = extension === 'mp4' ? 'video' : 'sound';
    const loud = await audioOf(source, { audio: 'opus', startOffset: 1.05, endOffset: 1.95 }, kind);
    expect(Math.abs((await inspect(loud)).duration - 0.9)).toBeLessThan(0.06);
    expect(await studio.loudness(loud)).toBeGreaterThan(-30);
    const silent = await audioOf(source, { audio: 'opus', startOffset: 2.2, endOffset: 3.4 }, kind);
    expect(await studio.loudness(silent)).toBeLessThan(-60);
  });

  test('ln makes it as loud as that of others', async () => {
    const quiet = await studio.make('quiet.wav', ...tone(3), '-af', 'volume=-30dB');
    for (const audio of ['aac', 'opus', 'mp3'] as const) {
      const sound = await audioOf(quiet, { audio, loudness: true }, 'sound');
      expect(Math.abs((await studio.loudness(sound)) + 16)).toBeLessThan(1);
      expect(await studio.stream(sound, 'a')).toMatchObject({ sample_rate: '48000' });
    }
  });

  test('more than two channels become two, and any rate one that the coding has', async () => {
    const six = await studio.make(
      'six.wav',
      ...tone(1),
      '-af',
      'pan=5.1|FL=c0|FR=c0|FC=c0|BL=c0|BR=c0',
      '-ar',
      '96000',
    );
    for (const audio of ['aac', 'opus', 'mp3'] as const) {
      expect(await studio.stream(await audioOf(six, { audio }, 'sound'), 'a')).toMatchObject({ channels: '2' });
    }
  });

  test('impossible requests have a readable error', async () => {
    const mute = await studio.make('mute.mp4', ...colourPerSecond('32x32', 5), ...H264);
    await expect(audioOf(mute, { audio: 'mp3' })).rejects.toThrow('The video has no audio.');
    const late = audioOf(film, { audio: 'mp3', startOffset: 9 });
    await expect(late).rejects.toThrow('The start offset so_9 lies past the end of the audio, which lasts 4 s.');
    await expect(audioOf(film, { audio: 'mp3' }, 'sound')).rejects.toThrow(/audio/);
    const tools = { ...studio.tools, libraries: new Set<string>() };
    const job = { input: film, output: studio.path('none'), options: { audio: 'opus' } as const };
    await expect(makeProduct(tools, { ...settings, encodeStill }, job)).rejects.toThrow('built without libopus');
  });
});
