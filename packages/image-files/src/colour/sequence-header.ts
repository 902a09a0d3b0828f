import { sequenceOf } from '../heif/av1-frames.ts';
import type { CodePoints } from './description.ts';
import type { SampleRange } from './sample-range.ts';

/** Reads the colour description of an AV1 stream; undefined if its sequence header has none, or is truncated. */
export function readSequenceHeader(stream: Buffer): CodePoints | undefined {
  return sequenceOf(stream)?.codes;
}

/** Reads the sample range of an AV1 stream; undefined if its sequence header is missing or truncated. */
export function readSequenceRange(stream: Buffer): SampleRange | undefined {
  return sequenceOf(stream)?.range;
}
