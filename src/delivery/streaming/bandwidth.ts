import type { Fragments, Segment } from '../../video/source/fragments.ts';

/** Bits per second. */
interface Bandwidth {
  /** Peak of any part. */
  peak: number;
  average: number;
}

/**
 * Most segments of a run. They are only shorter than the target at low frame rates, where longer runs have no higher
 * peak.
 */
const MAX_NEIGHBOURS = 8;

/** Returns the longest segment in whole seconds, as a playlist has to state it (RFC 8216, 4.3.3.1). */
export function targetSeconds(segments: readonly Segment[]): number {
  return segments.reduce((longest, { seconds }) => Math.max(longest, Math.round(seconds)), 1);
}

/**
 * Measures segments by RFC 8216 (4.1): the peak is that of neighbours with half to one and a half times the target
 * duration.
 */
export function bandwidthOf({ segments, seconds }: Pick<Fragments, 'segments' | 'seconds'>): Bandwidth {
  const average = rate(sum(segments), seconds);
  const target = targetSeconds(segments);
  let peak = average;
  for (let first = 0; first < segments.length; first++) {
    let bytes = 0;
    let length = 0;
    for (const segment of segments.slice(first, first + MAX_NEIGHBOURS)) {
      bytes = bytes + segment.bytes;
      length = length + segment.seconds;
      if (length > 1.5 * target) break;
      if (length >= 0.5 * target) peak = Math.max(peak, rate(bytes, length));
    }
  }
  return { peak, average };
}

const sum = (segments: readonly Segment[]) => segments.reduce((total, { bytes }) => total + bytes, 0);

/** Bounded, because a file of one frame may have no duration. */
const rate = (bytes: number, seconds: number) => Math.ceil((bytes * 8) / Math.max(seconds, 0.001));
