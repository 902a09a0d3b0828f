import { refuse, writeShare } from '../refusal.ts';
import { approximate, type Draft, enter, STAGE, type Word, type Words } from './draft.ts';
import { gravityOf, pointOf, shareOfDirection } from './gravity.ts';
import { isShare, lengthOf, ratioOf, wholeOf, writeRatio } from './values.ts';

const FILLS = ['fill', 'lfill', 'fill_pad', 'thumb', 'auto'];
const MODES = [...FILLS, 'scale', 'fit', 'limit', 'pad', 'lpad'];

interface Box {
  width: number | undefined;
  height: number | undefined;
}

/** Adds parameters of size and crop. @throws Refused if Darkroom has no counterpart */
export function addSize(draft: Draft, words: Words): void {
  const said = ['c', 'w', 'h', 'ar'].map((key) => words.get(key)).filter((word) => word !== undefined);
  const [first] = said;
  if (!first) {
    ignore(draft, words, ['g', 'x', 'y', 'z']);
    return;
  }
  const mode = words.get('c')?.value ?? 'scale';
  const hasSides = words.has('w') || words.has('h');
  if (mode === 'crop' && hasSides) {
    addCut(draft, words, first);
    return;
  }
  if (mode !== 'crop' && !MODES.includes(mode))
    refuse(words.get('c')?.text ?? mode, 'Darkroom has no such way to crop');
  const box = boxOf(draft, words);
  if (draft.parts.has('w') || draft.parts.has('h')) refuse(first.text, 'it has a size already');
  if (box.width === undefined && box.height === undefined) addRatio(draft, words, mode, first);
  else addBox(draft, box, mode, words, first);
  scaleEffects(draft, STAGE.size);
}

function addRatio(draft: Draft, words: Words, mode: string, first: Word): void {
  const ratio = words.get('ar');
  if (!ratio) {
    ignore(draft, words, ['c', 'g', 'x', 'y', 'z']);
    return;
  }
  if (draft.makes === 'video' || !(mode === 'crop' || FILLS.includes(mode))) {
    refuse(ratio.text, 'a ratio needs a width or a height here');
  }
  enter(draft, STAGE.size, first.text);
  draft.parts.set('ar', `ar_${writeRatio(ratio)}`);
  addGravity(draft, words, mode);
}

function addBox(draft: Draft, { width, height }: Box, mode: string, words: Words, first: Word): void {
  enter(draft, STAGE.size, first.text);
  if (width !== undefined) draft.parts.set('w', `w_${width}`);
  if (height !== undefined) draft.parts.set('h', `h_${height}`);
  const hasBoth = width !== undefined && height !== undefined;
  const word = words.get('c');
  addMode(draft, mode, hasBoth, word);
  if (mode === 'lfill' || mode === 'lpad') {
    if (draft.makes === 'picture') draft.parts.set('el', 'el_false');
    else approximate(draft, word?.text ?? mode, 'a smaller video is enlarged');
  }
  if (mode === 'fill_pad') approximate(draft, word?.text ?? mode, 'it fills and never pads');
  if (FILLS.includes(mode) || mode.endsWith('pad')) addGravity(draft, words, mode);
  else ignore(draft, words, ['g', 'x', 'y', 'z']);
}

function addMode(draft: Draft, mode: string, hasBothSides: boolean, word: Word | undefined): void {
  if (mode === 'limit') draft.parts.set('c', 'c_fit');
  if (!hasBothSides) return;
  if (mode === 'fit') {
    draft.parts.set('c', 'c_fit');
    approximate(draft, word?.text ?? mode, 'a smaller picture is not enlarged');
  } else if (mode === 'scale') draft.parts.set('c', 'c_scale');
  else if (mode.endsWith('pad') && mode !== 'fill_pad') draft.parts.set('c', 'c_pad');
}

/** Returns the box in pixels; with a ratio one side determines the other. */
function boxOf(draft: Draft, words: Words): Box {
  const box = { width: sideOf(draft, words.get('w')), height: sideOf(draft, words.get('h')) };
  const ratio = words.get('ar');
  if (!ratio || (box.width === undefined && box.height === undefined)) return box;
  if (box.width !== undefined && box.height !== undefined) {
    draft.ignored.push(ratio.text);
    return box;
  }
  const by = ratioOf(ratio);
  const { width = Math.round((box.height ?? 0) * by), height = Math.round((box.width ?? 0) / by) } = box;
  return { width: Math.max(1, width), height: Math.max(1, height) };
}

function sideOf(draft: Draft, word: Word | undefined): number | undefined {
  if (!word) return undefined;
  if (word.value === '1.0') return undefined;
  if (word.value === 'auto' || word.value.startsWith('auto:')) {
    draft.ignored.push(word.text);
    return undefined;
  }
  const pixels = word.value.includes('.') ? undefined : wholeOf(word.value);
  if (pixels === undefined || pixels < 1) refuse(word.text, 'expected whole pixels');
  return pixels;
}

function addGravity(draft: Draft, words: Words, mode: string): void {
  const word = words.get('g');
  const zoom = words.get('z');
  if (draft.makes === 'video') {
    ignore(draft, words, ['g', 'x', 'y', 'z']);
    return;
  }
  const point = pointOf(words);
  if (point !== undefined) draft.parts.set('g', `g_${point}`);
  else ignore(draft, words, ['x', 'y']);
  const gravity = word && point === undefined ? gravityOf(draft, word) : mode === 'auto' ? 'auto' : undefined;
  if (gravity !== undefined && point === undefined) draft.parts.set('g', `g_${gravity}`);
  if (mode === 'thumb' && gravity === 'face') draft.parts.set('z', 'z_auto');
  if (zoom) ignore(draft, words, ['z']);
}

/** Translates `c_crop`: a part of the image in its own pixels. */
function addCut(draft: Draft, words: Words, first: Word): void {
  if (draft.makes === 'video') refuse('c_crop', 'parts of videos cannot be cut out');
  if (draft.stage >= STAGE.cut) refuse(first.text, 'Darkroom cuts out one part, before it changes the size');
  enter(draft, STAGE.cut, first.text);
  const [width, height] = cutSides(words);
  const x = words.get('x');
  const y = words.get('y');
  const direction = words.get('g')?.value ?? (x || y ? 'north_west' : 'center');
  const place = (at: Word | undefined, length: string, share: number | undefined) => {
    if (direction === 'north_west') {
      const start = at ? lengthOf(at.value) : '0';
      return start ?? refuse(at?.text ?? '', 'expected pixels, or a share from 0.0 to 1.0');
    }
    if (x || y || share === undefined) refuse(words.get('g')?.text ?? 'c_crop', 'it cannot be a place of c_crop here');
    if (share === 0) return '0';
    if (!isShare(length)) refuse(first.text, 'a cut in pixels needs x and y, or g_north_west');
    return writeShare((1 - Number(length)) * share);
  };
  const [across, down] = shareOfDirection(direction) ?? [];
  draft.parts.set('rg', `rg_${place(x, width, across)}:${place(y, height, down)}:${width}:${height}`);
  scaleEffects(draft, STAGE.cut);
  ignore(draft, words, ['z']);
}

function cutSides(words: Words): [string, string] {
  const ratio = words.get('ar');
  const side = (word: Word | undefined) => {
    const length = word && lengthOf(word.value);
    if (word && (length === undefined || Number(length) === 0))
      refuse(word.text, 'expected pixels, or a share up to 1.0');
    return length;
  };
  const width = side(words.get('w'));
  const height = side(words.get('h'));
  if (!ratio || (width !== undefined && height !== undefined)) return [width ?? '1.0', height ?? '1.0'];
  if (isShare(width ?? height ?? '')) refuse(ratio.text, 'a ratio needs pixels here');
  const by = ratioOf(ratio);
  const [other, own] = width === undefined ? [Number(height) * by, height] : [Number(width) / by, width];
  const made = String(Math.max(1, Math.round(other)));
  return width === undefined ? [made, own ?? made] : [width, made];
}

function scaleEffects(draft: Draft, stage: number): void {
  for (const part of draft.inPixels) approximate(draft, part, 'Darkroom does this after the size has changed');
  draft.inPixels = [];
  draft.stage = Math.max(stage, draft.stage);
}

function ignore(draft: Draft, words: Words, keys: readonly string[]): void {
  for (const key of keys) {
    const word = words.get(key);
    if (word) draft.ignored.push(word.text);
  }
}
