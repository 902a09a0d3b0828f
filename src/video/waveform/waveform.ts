import { rm, writeFile } from 'node:fs/promises';
import { MANNERS } from '../command.ts';
import { blameVideo } from '../ffmpeg/blame.ts';
import { type Ffmpeg, runFfmpeg } from '../ffmpeg/run.ts';
import { examineSound, type Sound } from '../sound/examine.ts';
import { openingArguments, UndecodableVideo } from '../source/probe.ts';
import { encodeStill, type StillSettings } from '../still.ts';
import { percentReporter, type Transcode, timeLimitOf } from '../transcode.ts';
import { Peaks } from './peaks.ts';
import { drawWaveform } from './picture.ts';
import { WAVEFORM_COLOUR, WAVEFORM_GROUND, WAVEFORM_SIZE, type WaveformOptions } from './steps.ts';

const NO_SOUND = 'The video has no sound that a waveform could show.';

/**
 * Draws the sound of a video, or stored sound.
 * @throws what `transcode` throws; ImpossibleTranscode where there is no sound
 */
export async function makeWaveform(tools: Ffmpeg, settings: StillSettings, job: Transcode): Promise<void> {
  const { output, options, onProgress } = job;
  const sound = await examineSound(tools, settings, job, NO_SOUND);
  const peaks = await listen(tools, settings, job, sound);
  if (peaks.isEmpty) throw new UndecodableVideo(silenceAt(options.startOffset ?? 0));
  const {
    width = WAVEFORM_SIZE.width,
    height = WAVEFORM_SIZE.height,
    colour = WAVEFORM_COLOUR,
    background: ground = WAVEFORM_GROUND,
  } = options as WaveformOptions;
  const png = `${output}.png`;
  try {
    await writeFile(png, drawWaveform(peaks.in(width), { width, height, colour, ground }));
    await encodeStill(settings, job, png);
  } finally {
    await rm(png, { force: true });
  }
  onProgress?.(100);
}

/** Decodes the sound as it is, without keeping it. */
async function listen(
  tools: Ffmpeg,
  { niceness, stallMs, timeoutMs }: StillSettings,
  { input, options, signal, onProgress }: Transcode,
  { container, channels, duration }: Sound,
): Promise<Peaks> {
  const { startOffset: start = 0, endOffset } = options;
  const peaks = new Peaks(channels);
  const end = Math.min(endOffset ?? Number.POSITIVE_INFINITY, duration ?? Number.POSITIVE_INFINITY);
  const args = [
    ...[...MANNERS, '-threads', '1'],
    ...(start > 0 ? ['-ss', String(start)] : []),
    ...openingArguments(container, input),
    ...['-map', '0:a:0', ...(endOffset === undefined ? [] : ['-t', (endOffset - start).toFixed(3)])],
    ...['-ac', String(channels), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:3'],
  ];
  await runFfmpeg(tools, args, {
    ...{ signal, niceness, stallMs },
    timeoutMs: timeoutMs && timeLimitOf(timeoutMs, duration),
    onProgress: percentReporter(end === Number.POSITIVE_INFINITY ? undefined : end - start, onProgress),
    onData: (chunk) => peaks.add(chunk),
  }).catch(blameVideo);
  return peaks;
}

function silenceAt(start: number): string {
  return start > 0
    ? `No sound can be decoded from so_${start} on: it may lie past the end.`
    : 'No sound can be decoded; it is damaged or incomplete.';
}
