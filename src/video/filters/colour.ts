import type { Size } from '../geometry.ts';
import type { VideoProbe } from '../source/probe.ts';
import type { VideoPlan } from '../step.ts';

/** Untagged colours of this many lines and more are read as HDTV's, as players do. */
const HIGH_DEFINITION_LINES = 720;

/** Names that HDR has and the filter knows. Other names are probably mistakes of the file. */
const MATRICES: readonly string[] = ['bt2020nc', 'bt2020c', 'bt709'];
const PRIMARIES: readonly string[] = ['bt2020', 'bt709', 'smpte432'];

/** A filter that declares the colours of an untagged source: scaled down, it would be taken for standard definition. */
export function declareColour({ matrix, pixelFormat, upright }: VideoProbe): string[] {
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
    // Linear light takes twelve bytes for each pixel, so no step is taken that is not needed.
    `zscale=${source}:transfer=linear:primaries=709:npl=100`,
    'format=gbrpf32le',
    'tonemap=tonemap=hable:desat=0',
    ...(result === 'gbrp' ? ['zscale=transfer=709:range=pc'] : ['zscale=transfer=709:matrix=709:range=tv']),
    `format=${result}`,
  ];
}

/** Matrices by the names that the filter for scaling knows. The others are taken for BT.601 there, RGB among them. */
const SCALED_MATRICES: readonly string[] = ['bt709', 'fcc', 'smpte170m', 'smpte240m', 'bt2020'];

/** The matrix of the frames that become a result, by its name in the filter for scaling. */
export function writtenMatrix({ probe, mapsTones }: Pick<VideoPlan, 'probe' | 'mapsTones'>): string {
  if (mapsTones || declareColour(probe).length > 0) return 'bt709';
  const matrix = probe.matrix?.replace(/n?c$/, '');
  return SCALED_MATRICES.find((name) => name === matrix) ?? 'bt601';
}

/** The given name if it is among the names, else the first of them. */
function knownOr(names: readonly string[], name: string | undefined): string {
  return names.find((candidate) => candidate === name) ?? names[0] ?? '';
}
