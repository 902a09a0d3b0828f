import { type Approximation, type Refusal, Refused, refuse } from '../refusal.ts';
import type { Draft } from './draft.ts';
import { regionOf } from './gravity.ts';
import type { Translated } from './translate.ts';

/** Text of a URL once its file is known. */
export interface Written {
  kind: 'written';
  /** Transformation, decoded; empty for the original. */
  segment: string;
  approximate: readonly Approximation[];
}

/** File of a translation. */
export interface File {
  /** In lower case. */
  extension: string;
  isVideo: boolean;
}

const FORMATS: Readonly<Record<string, string>> = {
  jpg: 'jpeg',
  jpeg: 'jpeg',
  png: 'png',
  webp: 'webp',
  avif: 'avif',
  gif: 'gif',
  best: 'best',
  mp4: 'mp4',
};

/** Writes the transformation of a URL for `/t/`. */
export function writeSegment({ draft, format }: Translated, file: File): Written | Refusal {
  const approximate: Approximation[] = [];
  try {
    return { kind: 'written', segment: segmentOf(draft, format, file, approximate), approximate };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { kind: 'refused', part: error.part, reason: error.reason };
  }
}

function segmentOf(draft: Draft, requested: string | undefined, file: File, approximate: Approximation[]): string {
  const isSame = requested === undefined || requested === file.extension;
  if (draft.isRaw || (isSame && draft.skipped.includes(file.extension))) return '';
  const parts = [...partsBeforeResize(draft), ...sizeParts(draft, approximate), ...draft.parts.values()];
  if (draft.preset !== undefined) {
    if (parts.length > 0) refuse(`preset:${draft.preset}`, 'a preset stands alone: write one that has the options too');
    return `n_${draft.preset}`;
  }
  const coded = formatParts(draft, requested, file);
  // A video of a GIF has no such parameter.
  const isBounded = parts.includes('el_false') && coded.includes('f_mp4');
  if (isBounded) approximate.push({ part: 'mp4', reason: 'a smaller GIF is enlarged' });
  return [...parts.filter((part) => !isBounded || part !== 'el_false'), ...coded].join(',');
}

/** Lists the parameters that apply before resizing. */
function partsBeforeResize(draft: Draft): string[] {
  const { mirrored, rotation } = draft;
  if (mirrored !== '' && rotation !== 0) refuse(`rotate:${rotation}`, 'a picture is not mirrored as well');
  const turn = mirrored === '' ? String(rotation) : mirrored;
  const region = regionOf(draft);
  return [...(turn === '0' ? [] : [`a_${turn}`]), ...(region === undefined ? [] : [region])];
}

function sizeParts(draft: Draft, approximate: Approximation[]): string[] {
  const { width, height, padding } = draft;
  // Padding is inside our size, and added to that of imgproxy.
  const [top, right, bottom, left] = padding ?? [0, 0, 0, 0];
  const sides = [
    ...(width > 0 ? [`w_${width + left + right}`] : []),
    ...(height > 0 ? [`h_${height + top + bottom}`] : []),
  ];
  const mode = width > 0 && height > 0 ? boxParts(draft, approximate) : sideParts(draft);
  return [...sides, ...(sides.length > 0 ? mode : []), ...(padding ? [`pd_${padding.join(':')}`] : [])];
}

function sideParts({ mode, isEnlarged }: Draft): string[] {
  if (mode === 'force') refuse('force', 'the other side would stay as it is: write both');
  return isEnlarged ? [] : ['el_false'];
}

function boxParts(draft: Draft, approximate: Approximation[]): string[] {
  const { mode, isEnlarged, isExtended, gravity, place } = draft;
  const bounded = isEnlarged ? [] : ['el_false'];
  if (mode === 'fit') {
    if (isExtended) return ['c_pad', ...bounded, `g_${place}`];
    if (isEnlarged) approximate.push({ part: 'enlarge', reason: 'fit never enlarges' });
    return ['c_fit'];
  }
  if (mode === 'force') {
    if (!isEnlarged) approximate.push({ part: 'force', reason: 'a smaller picture has the ratio of the box' });
    return ['c_scale', ...bounded];
  }
  if (mode !== 'fill' && mode !== 'fill-down') refuse(mode, 'Darkroom has no such way to meet a size');
  if (mode === 'fill' && !isEnlarged) {
    approximate.push({ part: 'fill', reason: 'a smaller picture has the ratio of the box' });
  }
  return [...bounded, `g_${gravity}`];
}

function formatParts({ second, formatQuality, parts }: Draft, requested: string | undefined, file: File): string[] {
  const stored = Object.hasOwn(FORMATS, file.extension) ? FORMATS[file.extension] : undefined;
  const name = requested ?? (file.isVideo || stored === undefined ? 'jpg' : file.extension);
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format === undefined) refuse(name, 'Darkroom does not write this format');
  const isMoving = !file.isVideo && stored === 'gif' && ['gif', 'webp', 'mp4'].includes(format) && !parts.has('pg');
  if (format === 'mp4' && !isMoving) refuse(name, 'only a GIF becomes a video');
  const quality =
    formatQuality.get(name) ?? formatQuality.get(name === 'jpg' ? 'jpeg' : name === 'jpeg' ? 'jpg' : name);
  return [
    ...(file.isVideo ? [`so_${second}`] : []),
    ...(isMoving ? ['an_true'] : []),
    ...(quality && !parts.has('q') ? [`q_${quality}`] : []),
    `f_${format}`,
  ];
}
