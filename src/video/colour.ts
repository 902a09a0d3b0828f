import type { Size } from './geometry.ts';
import type { VideoProbe } from './probe.ts';

/** Untagged colours of this many lines and more are read as HDTV's, as players do. */
const HIGH_DEFINITION_LINES = 720;

/** Names that HDR comes with and that the filter knows; what a file says beyond them, it hardly means. */
const MATRICES: readonly string[] = ['bt2020nc', 'bt2020c', 'bt709'];
const PRIMARIES: readonly string[] = ['bt2020', 'bt709', 'smpte432'];

/** Says what colours the source has where it does not say so itself: smaller, it would be taken for standard definition. */
export function describeColour({ matrix, pixelFormat, upright }: VideoProbe): string[] {
  const lines = Math.min(upright.width, upright.height);
  if (matrix !== undefined || !pixelFormat.startsWith('yuv') || lines < HIGH_DEFINITION_LINES) return [];
  return ['setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709'];
}

/**
 * Filters that bring HDR into the range and the colours of BT.709, after the film curve of Hable.
 * @param size of the frames at this point
 * @param result the form that they leave in
 */
export function mapTones(probe: VideoProbe, size: Size, result: 'yuv420p' | 'gbrp'): string[] {
  const { transfer, matrix, primaries, range } = probe;
  const source = [
    `transferin=${transfer ?? 'smpte2084'}`,
    `matrixin=${knownOr(MATRICES, matrix)}`,
    `primariesin=${knownOr(PRIMARIES, primaries)}`,
    ...(range === undefined ? [] : [`rangein=${range}`]),
  ].join(':');
  const isOdd = size.width % 2 === 1 || size.height % 2 === 1;
  return [
    // zscale refuses odd sizes with half the chroma.
    ...(isOdd ? ['format=yuv444p10le'] : []),
    // Light as it is takes twelve bytes for each pixel: no step more than are needed.
    `zscale=${source}:transfer=linear:primaries=709:npl=100`,
    'format=gbrpf32le',
    'tonemap=tonemap=hable:desat=0',
    ...(result === 'gbrp' ? ['zscale=transfer=709:range=pc'] : ['zscale=transfer=709:matrix=709:range=tv']),
    `format=${result}`,
  ];
}

/** The first of the names where the given one is not among them. */
function knownOr(names: readonly string[], name: string | undefined): string {
  return names.find((candidate) => candidate === name) ?? names[0] ?? '';
}
