import type { Size } from '../geometry.ts';
import type { VideoProbe } from '../source/probe.ts';
import type { VideoPlan } from '../step.ts';

/** Browsers read untagged frames with this many stored lines or more as BT.709. */
const HIGH_DEFINITION_LINES = 720;

/** Values that occur in HDR and that zscale knows. Others are probably mistakes in the file. */
const HDR_MATRICES: readonly string[] = ['bt2020nc', 'bt709'];
const HDR_PRIMARIES: readonly string[] = ['bt2020', 'bt709', 'smpte432'];

/** SDR primaries wider than sRGB, by the names that ffprobe and zscale share. */
const WIDE_PRIMARIES: readonly string[] = ['bt2020', 'smpte431', 'smpte432'];
/** Converted primaries. All others are read as BT.709. */
const SDR_PRIMARIES: readonly string[] = ['bt709', ...WIDE_PRIMARIES];

/** Matrices by the names that ffprobe and zscale share. */
const COMMON_MATRICES: readonly string[] = ['bt709', 'fcc', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc'];
/** Matrices known to zscale that `scale` reads as BT.601. */
const RARE_MATRICES: readonly string[] = ['ycgco', 'chroma-derived-nc'];

/** Matrices by the names of `scale`, which reads all others as BT.601. */
const SCALED_MATRICES: readonly string[] = ['bt709', 'fcc', 'smpte170m', 'smpte240m', 'bt2020'];

/** SDR white and the HDR peak before tone mapping, in cd/m2 (ITU-R BT.2408). */
const SDR_WHITE = 203;
const HDR_PEAK = 1000;

/** Browsers apply the sRGB curve to SDR, regardless of the transfer tag. */
const SRGB_CURVE = 'iec61966-2-1';

/** Declares frames as BT.709 in limited range, replacing earlier tags. */
export const BT709_TAGS = 'setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709';

/** Declares RGB as sRGB. Otherwise ffmpeg writes the source's colours into a PNG, and readers apply them. */
export const SRGB_TAGS = `setparams=color_primaries=bt709:color_trc=${SRGB_CURVE}`;

export function isRgb({ pixelFormat }: Pick<VideoProbe, 'pixelFormat'>): boolean {
  return /rgb|bgr|gbr|^pal8/.test(pixelFormat);
}

/**
 * Declares the colours of an untagged source where players would guess wrong: high definition, and results of high
 * definition from a smaller source.
 * @param output size of the result
 */
export function declareColour(probe: VideoProbe, output: Size = probe.upright): string[] {
  const { primaries, transfer } = probe;
  if (!isUntagged(probe)) return [];
  const isHigh = isHighDefinition(probe);
  if (!isHigh && output.height < HIGH_DEFINITION_LINES) return [];
  const tags = [
    `colorspace=${isHigh ? 'bt709' : 'smpte170m'}`,
    ...(primaries === undefined ? ['color_primaries=bt709'] : []),
    ...(transfer === undefined ? ['color_trc=bt709'] : []),
  ];
  return [`setparams=${tags.join(':')}`];
}

/** True for HDR, primaries wider than sRGB, and matrices that only zscale knows. */
export function needsConversion({ isHdr, primaries = '', matrix = '' }: VideoProbe): boolean {
  return isHdr || WIDE_PRIMARIES.includes(primaries) || RARE_MATRICES.includes(matrix);
}

type Converted = 'yuv420p' | 'yuva420p' | 'gbrp' | 'gbrap';

/**
 * Returns filters that convert HDR and wide primaries to the range and primaries of sRGB. YUV is BT.709 afterwards.
 * @param size of the frames at this point
 */
export function convertColours(probe: VideoProbe, size: Size, result: Converted): string[] {
  const hasAlpha = result === 'yuva420p' || result === 'gbrap';
  const source = [
    `transferin=${probe.isHdr ? (probe.transfer ?? 'smpte2084') : SRGB_CURVE}`,
    ...(isRgb(probe) ? [] : [`matrixin=${matrixIn(probe)}`]),
    `primariesin=${knownOr(probe.isHdr ? HDR_PRIMARIES : SDR_PRIMARIES, probe.primaries)}`,
    ...(probe.range === undefined ? [] : [`rangein=${probe.range}`]),
  ].join(':');
  const convert = probe.isHdr
    ? mapTones(source, hasAlpha)
    : [`zscale=${source}:transfer=${SRGB_CURVE}:primaries=709:range=pc`];
  // Clip colours beyond sRGB as RGB: clipping YUV would reduce brightness.
  const clipped = [`format=gbr${hasAlpha ? 'a' : ''}p10le`, 'zscale=matrix=709:range=tv'];
  const ends = result.startsWith('yuv') ? [...clipped, `format=${result}`, BT709_TAGS] : [`format=${result}`];
  return [...planarFormat(probe, size, hasAlpha), ...convert, ...ends];
}

/**
 * Keeps light up to 0.8 of white and compresses brighter light below 1. zscale approximates curves: exact ones take
 * twice the time and change only the saturation of HLG, by up to 5 %.
 */
function mapTones(source: string, hasAlpha: boolean): string[] {
  return [
    // Linear light takes 12 bytes per pixel, so avoid any further step.
    `zscale=${source}:transfer=linear:primaries=709:npl=${SDR_WHITE}`,
    `format=${hasAlpha ? 'gbrapf32le' : 'gbrpf32le'}`,
    `tonemap=mobius:param=0.8:peak=${(HDR_PEAK / SDR_WHITE).toFixed(3)}:desat=0`,
    // The curve of a BT.709 display (ITU-R BT.1886).
    'zscale=transfer=709:range=pc',
  ];
}

/** Returns a format that zscale accepts: planar, without subsampled chroma if a side is odd. */
function planarFormat(probe: VideoProbe, { width, height }: Size, hasAlpha: boolean): string[] {
  const alpha = hasAlpha ? 'a' : '';
  if (isRgb(probe)) return [`format=${['', '10le', '12le', '16le'].map((depth) => `gbr${alpha}p${depth}`).join('|')}`];
  const isOdd = width % 2 === 1 || height % 2 === 1;
  return isOdd ? [`format=yuv${alpha}444p10le`] : [];
}

function matrixIn(probe: VideoProbe): string {
  // zscale rejects constant luminance for these curves. Such tags are rare, and mostly wrong.
  const matrix = probe.matrix === 'bt2020c' ? 'bt2020nc' : probe.matrix;
  if (probe.isHdr) return knownOr(HDR_MATRICES, matrix);
  const usual = isHighDefinition(probe) ? 'bt709' : 'smpte170m';
  return [...COMMON_MATRICES, ...RARE_MATRICES].find((name) => name === matrix) ?? usual;
}

/** Returns filters that convert RGB to the input of video encoders. ffmpeg would silently use BT.601. */
export function rgbToVideo({ probe, convertsColours }: Pick<VideoPlan, 'probe' | 'convertsColours'>): string[] {
  const isConverted = convertsColours || probe.hasAlpha || probe.container === 'gif';
  if (isConverted || !isRgb(probe)) return [];
  return ['scale=out_color_matrix=bt709:out_range=tv', 'format=yuv444p', BT709_TAGS];
}

/** Returns the matrix of the encoded frames, by its name in `scale`. */
export function writtenMatrix({ probe, convertsColours }: Pick<VideoPlan, 'probe' | 'convertsColours'>): string {
  if (convertsColours || isRgb(probe)) return 'bt709';
  if (isUntagged(probe)) return isHighDefinition(probe) ? 'bt709' : 'bt601';
  const matrix = probe.matrix?.replace(/n?c$/, '');
  return SCALED_MATRICES.find((name) => name === matrix) ?? 'bt601';
}

/** True for YUV without a matrix. */
function isUntagged(probe: VideoProbe): boolean {
  const { matrix, pixelFormat } = probe;
  const isGrey = /^(gray|ya\d|mono)/.test(pixelFormat);
  return (matrix === undefined || matrix === 'gbr') && !isGrey && !isRgb(probe);
}

function isHighDefinition({ upright, rotation }: VideoProbe): boolean {
  const storedHeight = Math.abs(rotation) % 180 === 90 ? upright.width : upright.height;
  return storedHeight >= HIGH_DEFINITION_LINES;
}

/** Returns the name if it is listed, otherwise the first of the list. */
function knownOr(names: readonly string[], name: string | undefined): string {
  return names.find((candidate) => candidate === name) ?? names[0] ?? '';
}
