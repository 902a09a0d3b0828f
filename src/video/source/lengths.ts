import { type Ffmpeg, runFfprobe } from '../ffmpeg/run.ts';
import type { AnyContainer } from './container.ts';
import { type RawFormat, readNumber } from './details.ts';

/** A stream as ffprobe writes it, as far as its length is concerned. */
export interface RawLength {
  index?: number;
  duration?: string;
  tags?: { DURATION?: string };
}

export const LENGTH_ENTRIES = ['stream=index,duration', 'stream_tags=DURATION'];

/** The file that streams are measured in. */
interface MeasuredFile {
  /** The arguments that open it. */
  opening: readonly string[];
  container: AnyContainer;
  format: RawFormat | undefined;
  /** Where its samples end, in seconds, if the durations in its heads say otherwise. */
  contradictedEnd: number | undefined;
}

/** Seconds by which the duration of a stream may exceed that of its file. */
const TOLERANCE = 0.1;

/**
 * Reads the length of a stream in seconds: what the file says, or where its last packet ends if its samples contradict that. Undefined
 * where the file does not say it.
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
  // What cannot be measured, such as a file with too many packets, must not lose its end.
  return measured ?? Math.max(claimed ?? 0, end);
}

/** The length that a file says for one of its streams; that of all of it where the stream has none. */
function claimedLength({ container, format }: MeasuredFile, stream: RawLength): number | undefined {
  const whole = readNumber(format?.duration);
  const tagged = readTag(stream);
  // Tools that cut Matroska without reading it leave the tags of the whole.
  if (tagged !== undefined && (whole === undefined || tagged <= whole + TOLERANCE)) return tagged;
  return container === 'matroska' ? whole : (readNumber(stream.duration) ?? whole);
}

/** Matroska writes the duration of a stream into a tag, as hours:minutes:seconds. */
function readTag({ tags }: RawLength): number | undefined {
  const [hours, minutes, seconds] = (tags?.DURATION ?? '').split(':').map(Number);
  return hours !== undefined && minutes !== undefined && seconds ? hours * 3600 + minutes * 60 + seconds : undefined;
}

/** Finds where the last packet of a stream ends, reading packets from a time on. Undefined where there are none. */
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
    // What an edit list leaves out is marked so.
    const end = Number.parseFloat(time) + (Number.parseFloat(duration) || 0);
    if (end > last && !flags.includes('D')) last = end;
  }
  return last > start ? last - start : undefined;
}
