import { type Ffmpeg, runFfprobe } from '../ffmpeg/run.ts';
import type { AnyContainer } from './container.ts';
import { type RawFormat, readNumber } from './details.ts';

/** Fields of an ffprobe stream that are needed for its length. */
export interface RawLength {
  index?: number;
  duration?: string;
  tags?: { DURATION?: string };
}

export const LENGTH_ENTRIES = ['stream=index,duration', 'stream_tags=DURATION'];

/** File in which streams are measured. */
interface MeasuredFile {
  /** Arguments that open the file. */
  opening: readonly string[];
  container: AnyContainer;
  format: RawFormat | undefined;
  /** End of the samples in seconds, if it contradicts the durations in the heads. */
  contradictedEnd: number | undefined;
}

/** Tolerated excess of a stream's duration over that of its file, in seconds. */
const TOLERANCE = 0.1;

/**
 * Returns the length of a stream in seconds: as the file states it, or measured if the samples contradict that.
 * Undefined if the file does not say.
 */
export async function lengthOfStream(
  tools: Ffmpeg,
  source: MeasuredFile,
  stream: RawLength,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { contradictedEnd: end } = source;
  const claimed = claimedLength(source, stream);
  if (end === undefined) return claimed;
  const measured =
    (await measure(tools, source, stream, end, signal)) ?? (await measure(tools, source, stream, 0, signal));
  // A file that cannot be measured, such as one with too many packets, must not lose its end.
  return measured ?? Math.max(claimed ?? 0, end);
}

/** Returns the stated length of a stream, or of the file if the stream has none. */
function claimedLength({ container, format }: MeasuredFile, stream: RawLength): number | undefined {
  const whole = readNumber(format?.duration);
  const tagged = readTag(stream);
  // Tools that cut Matroska without reading it leave the tags of the entire file.
  if (tagged !== undefined && (whole === undefined || tagged <= whole + TOLERANCE)) return tagged;
  return container === 'matroska' ? whole : (readNumber(stream.duration) ?? whole);
}

/** Reads the duration tag of a Matroska stream: hours:minutes:seconds. */
function readTag({ tags }: RawLength): number | undefined {
  const [hours, minutes, seconds] = (tags?.DURATION ?? '').split(':').map(Number);
  return hours !== undefined && minutes !== undefined && seconds ? hours * 3600 + minutes * 60 + seconds : undefined;
}

/** Returns the end of the last packet after a time; undefined if there is none. */
async function measure(
  tools: Ffmpeg,
  { opening, format }: MeasuredFile,
  { index = 0 }: RawLength,
  from: number,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const start = readNumber(format?.start_time) ?? 0;
  const text = await runFfprobe(
    tools,
    [
      ...['-v', 'error', '-select_streams', String(index), '-read_intervals', `${(start + from).toFixed(6)}%`],
      ...['-show_entries', 'packet=pts_time,duration_time,flags', '-of', 'csv=p=0'],
      ...opening,
    ],
    signal,
  ).catch(() => '');
  signal?.throwIfAborted();
  let last = Number.NEGATIVE_INFINITY;
  for (const line of text.split('\n')) {
    const [time = '', duration = '', flags = ''] = line.split(',');
    // Packets outside the edit list are marked so.
    const end = Number.parseFloat(time) + (Number.parseFloat(duration) || 0);
    if (end > last && !flags.includes('D')) last = end;
  }
  return last > start ? last - start : undefined;
}
