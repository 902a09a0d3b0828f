import { rm, writeFile } from 'node:fs/promises';
import { type AudioInput, examineAudio, readAudio } from './audio.ts';
import { UndecodableVideo } from './ffmpeg/errors.ts';
import type { Ffmpeg } from './ffmpeg/run.ts';
import { WAVEFORM_BACKGROUND, WAVEFORM_COLOUR, WAVEFORM_SIZE, type WaveformOptions } from './steps/waveform.ts';
import { encodeStill, type StillSettings } from './still.ts';
import type { Transcode } from './transcode.ts';
import { drawWaveform } from './waveform-image.ts';
import { Peaks } from './waveform-peaks.ts';

const NO_AUDIO = 'The video has no audio to draw.';

/**
 * Draws a waveform of stored audio, or of the audio of a video.
 * @throws what `transcode` throws; ImpossibleTranscode without audio
 */
export async function makeWaveform(tools: Ffmpeg, settings: StillSettings, job: Transcode): Promise<void> {
  const { output, options, onProgress } = job;
  const audio = await examineAudio(tools, job, NO_AUDIO);
  const peaks = await listen(tools, settings, job, audio);
  if (peaks.isEmpty) throw new UndecodableVideo(silenceAt(options.startOffset ?? 0));
  const {
    width = WAVEFORM_SIZE.width,
    height = WAVEFORM_SIZE.height,
    colour = WAVEFORM_COLOUR,
    background = WAVEFORM_BACKGROUND,
  } = options as WaveformOptions;
  const png = `${output}.png`;
  try {
    await writeFile(png, drawWaveform(peaks.in(width), { width, height, colour, background }));
    await encodeStill(settings, job, png);
  } finally {
    await rm(png, { force: true });
  }
  onProgress?.(100);
}

/** Decodes the audio without storing it. */
async function listen(tools: Ffmpeg, settings: StillSettings, job: Transcode, audio: AudioInput): Promise<Peaks> {
  const { channels } = audio;
  const peaks = new Peaks(channels);
  const args = ['-ac', String(channels), '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:3'];
  await readAudio(tools, settings, job, audio, { args, onData: (chunk) => peaks.add(chunk) });
  return peaks;
}

function silenceAt(start: number): string {
  return start > 0
    ? `No audio can be decoded from so_${start} on: it may lie past the end.`
    : 'No audio can be decoded; it is damaged or incomplete.';
}
