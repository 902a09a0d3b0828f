import type { VideoProbe } from '../source/probe.ts';
import type { VideoPlan } from '../step.ts';

/** Seconds between key frames; each begins a segment of a stream. */
const SEGMENT_SECONDS = 2;

/**
 * One fragmented file with an index (`sidx`) in front, so that a playlist can name byte ranges. The head is written
 * once the first packets are known, to include what precedes the first audible sample. The trailer of ffmpeg is useless
 * here.
 */
const FRAGMENTED = '+frag_keyframe+delay_moov+default_base_moof+dash+global_sidx+skip_trailer';

/** Segment number of a time. Half a millisecond compensates for times that are not whole ticks. */
const segmentAt = (time: string) => `floor((${time}+0.0005)/${SEGMENT_SECONDS})`;

/**
 * Output arguments of a video rendition. Key frames are forced by time, at the first frame of every two seconds and
 * nowhere else, so that segments of all renditions align, also with irregular frames.
 */
export const VIDEO_FRAGMENTS: readonly string[] = [
  ...['-force_key_frames', `expr:isnan(prev_forced_t)+gt(${segmentAt('t')},${segmentAt('prev_forced_t')})`],
  ...['-g', '100000', '-sc_threshold', '0'],
  ...['-video_track_timescale', '90000', '-movflags', FRAGMENTED, '-f', 'mp4'],
];

/** Shows the first frame from time 0: players interpret an empty beginning differently. */
export const FROM_THE_BEGINNING = 'setpts=if(eq(N\\,0)\\,0\\,PTS)';

/** Fills gaps in the audio of a stream with silence, including at its beginning. */
export const WITHOUT_GAPS = 'aresample=async=1:first_pts=0';

/** Output arguments of an audio rendition, besides its codec. */
export const AUDIO_FRAGMENTS: readonly string[] = [
  ...['-frag_duration', String(SEGMENT_SECONDS * 1_000_000)],
  ...['-movflags', FRAGMENTED, '-f', 'mp4'],
];

/** Default limit of frames per second for renditions: most screens show no more. */
export const MAX_STREAM_RATE = 60;
/** Tolerated excess of the limit: some clocks run a little fast. */
const RATE_TOLERANCE = 1;

/**
 * Returns the frame rate limit of a rendition.
 * @param requested frames per second in the URL
 * @returns undefined if all frames are used
 */
export function mostFramesOf(
  { frameRate, densestRate }: VideoProbe,
  requested: number | undefined,
): number | undefined {
  if (requested !== undefined) return requested;
  const rate = densestRate ?? frameRate ?? Number.POSITIVE_INFINITY;
  return rate > MAX_STREAM_RATE + RATE_TOLERANCE ? MAX_STREAM_RATE : undefined;
}

/** Frames per second below which some frames last longer than players expect. */
const FEW_FRAMES = 5;
/** Share of the frames at the densest rate of a video; with fewer, frames are irregular. */
const MOST_FRAMES = 0.9;

/**
 * True if some or all frames are shown for long. Browsers derive the duration of a frame from the decoding time of the
 * next one: if frames refer to later ones, everything after a long frame is lost.
 */
export function hasLongFrames({ probe: { frameRate, densestRate }, mostFrames = Infinity }: VideoPlan): boolean {
  if (frameRate === undefined) return true;
  return (
    Math.min(frameRate, mostFrames) < FEW_FRAMES || (densestRate !== undefined && frameRate < MOST_FRAMES * densestRate)
  );
}
