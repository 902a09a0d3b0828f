import type { Fragments, Segment } from '../../video/source/fragments.ts';

/** Bits a second. */
interface Bandwidth {
  /** Of the part that needs most. */
  peak: number;
  average: number;
}

/** Shorter segments than these come where frames do, so that a peak of more of them is none. */
const MAX_NEIGHBOURS = 8;

/** The longest segment in whole seconds, as a playlist has to name it (RFC 8216, 4.3.3.1). */
export function targetSeconds(segments: readonly Segment[]): number {
  return segments.reduce((longest, { seconds }) => Math.max(longest, Math.round(seconds)), 1);
}

/** Measured on the segments as RFC 8216 (4.1) says: the peak is that of neighbours of half to one and a half times the target. */
export function bandwidthOf({ segments, seconds }: Pick<Fragments, 'segments' | 'seconds'>): Bandwidth {
  const average = rate(sum(segments), seconds);
  const target = targetSeconds(segments);
  let peak = average;
  for (let first = 0; first < segments.length; first++) {
    let [bytes, length] = [0, 0];
    for (const segment of segments.slice(first, first + MAX_NEIGHBOURS)) {
      [bytes, length] = [bytes + segment.bytes, length + segment.seconds];
      if (length > 1.5 * target) break;
      if (length >= 0.5 * target) peak = Math.max(peak, rate(bytes, length));
    }
  }
  return { peak, average };
}

const sum = (segments: readonly Segment[]) => segments.reduce((total, { bytes }) => total + bytes, 0);

/** A file of one frame may have no length. */
const rate = (bytes: number, seconds: number) => Math.ceil((bytes * 8) / Math.max(seconds, 0.001));
