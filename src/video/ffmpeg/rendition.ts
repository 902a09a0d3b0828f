import type { VideoProbe } from '../source/probe.ts';
import type { VideoPlan } from '../step.ts';

/** Seconds between two key frames; a segment of a stream begins with each. */
const SEGMENT_SECONDS = 2;

/**
 * One file in fragments with their index (`sidx`) before them, so that a playlist can name the bytes of each. The head is written when the
 * first packets are known, so that it says what comes before the first sound that is to be heard. What ffmpeg writes behind the last
 * fragment is of no use there.
 */
const FRAGMENTED = '+frag_keyframe+delay_moov+default_base_moof+dash+global_sidx+skip_trailer';

/** The same number of the segment before and now means no key frame; half a millisecond is for times that are not whole ticks. */
const segmentAt = (time: string) => `floor((${time}+0.0005)/${SEGMENT_SECONDS})`;

/**
 * Output arguments for the pictures of a rung: a key frame at the first frame of every two seconds and nowhere else, by time, so that the
 * segments of all rungs agree, also when frames come irregularly.
 */
export const VIDEO_FRAGMENTS: readonly string[] = [
  ...['-force_key_frames', `expr:isnan(prev_forced_t)+gt(${segmentAt('t')},${segmentAt('prev_forced_t')})`],
  ...['-g', '100000', '-sc_threshold', '0'],
  ...['-video_track_timescale', '90000', '-movflags', FRAGMENTED, '-f', 'mp4'],
];

/** The first frame is shown from the beginning on: players do not agree on what an empty beginning means. */
export const FROM_THE_BEGINNING = 'setpts=if(eq(N\\,0)\\,0\\,PTS)';

/** The filter that fills with silence what the sound of a stream leaves out, at its beginning too. */
export const WITHOUT_GAPS = 'aresample=async=1:first_pts=0';

/** Output arguments for the sound of a stream, next to its coding. */
export const AUDIO_FRAGMENTS: readonly string[] = [
  ...['-frag_duration', String(SEGMENT_SECONDS * 1_000_000)],
  ...['-movflags', FRAGMENTED, '-f', 'mp4'],
];

/** Frames a second of a rendition, unless the URL says fewer: most screens show no more. */
export const MAX_STREAM_RATE = 60;
/** Rates above the bound that are left alone: those of clocks that run a little fast. */
const RATE_TOLERANCE = 1;

/**
 * The most frames a second that a rendition has.
 * @param requested frames a second by the URL
 * @returns undefined where all frames stay
 */
export function mostFramesOf(
  { frameRate, densestRate }: VideoProbe,
  requested: number | undefined,
): number | undefined {
  if (requested !== undefined) return requested;
  const rate = densestRate ?? frameRate ?? Number.POSITIVE_INFINITY;
  return rate > MAX_STREAM_RATE + RATE_TOLERANCE ? MAX_STREAM_RATE : undefined;
}

/** Frames a second; where there are fewer, some are shown for longer than players expect. */
const FEW_FRAMES = 5;
/** Of the frames that there would be at the densest rate of a video: with fewer, they come irregularly. */
const MOST_FRAMES = 0.9;

/**
 * Whether frames are shown for long, all of them or some. They say when they are decoded, and players in browsers take the time to the next
 * one for how long each is shown: where frames refer to later ones, what follows a long one is lost.
 */
export function hasLongFrames({ probe: { frameRate, densestRate }, mostFrames = Infinity }: VideoPlan): boolean {
  if (frameRate === undefined) return true;
  return (
    Math.min(frameRate, mostFrames) < FEW_FRAMES || (densestRate !== undefined && frameRate < MOST_FRAMES * densestRate)
  );
}
