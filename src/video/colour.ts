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

/** Filters that bring HDR into the range and the colours of BT.709, after the film curve of Hable. */
export function mapTones({ transfer, matrix, primaries }: VideoProbe): string[] {
  const source = [
    `transferin=${transfer ?? 'smpte2084'}`,
    `matrixin=${knownOr(MATRICES, matrix)}`,
    `primariesin=${knownOr(PRIMARIES, primaries)}`,
  ].join(':');
  return [
    // Full chroma first: zscale refuses odd sizes otherwise.
    'format=yuv444p10le',
    `zscale=${source}:transfer=linear:npl=100`,
    'format=gbrpf32le',
    'zscale=primaries=709',
    'tonemap=tonemap=hable:desat=0',
    'zscale=transfer=709:matrix=709:range=tv',
    'format=yuv444p',
  ];
}

/** The first of the names where the given one is not among them. */
function knownOr(names: readonly string[], name: string | undefined): string {
  return names.find((candidate) => candidate === name) ?? names[0] ?? '';
}
