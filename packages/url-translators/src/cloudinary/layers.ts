import { refuse, within, writeShare } from '../refusal.ts';
import { approximate, type Draft, enter, type LayerDraft, type Parts, STAGE, type Word } from './draft.ts';
import { addLayerEffect } from './effects.ts';
import { shareOfDirection } from './gravity.ts';
import { readTurn } from './turn.ts';
import { colourOf, requireColour, wholeOf } from './values.ts';

/** Most layers of a transformation in Darkroom. */
const MAX_LAYERS = 8;

const MODES: Readonly<Record<string, string>> = { fit: 'c_fit', limit: 'c_fit', scale: 'c_scale', pad: 'c_pad' };
const FILLS = ['fill', 'lfill', 'thumb'];
const ALIGNMENTS = ['left', 'center', 'right'];

/** Begins a layer by the parameter that names it. @throws Refused for unsupported layers */
export function openLayer(draft: Draft, word: Word): LayerDraft {
  if (draft.layers.length === MAX_LAYERS) refuse(word.text, `at most ${MAX_LAYERS} layers can lie over a picture`);
  enter(draft, STAGE.layer, word.text);
  const parts: Parts = new Map();
  const [kind = '', style = '', ...words] = word.value.split(':');
  if (kind === 'text') {
    addStyle(draft, parts, style, word);
    const text = decodeAgain(words.join(':'), word);
    if (text === '' || text.includes('$(')) refuse(word.text, 'expected words without variables');
    return addLayer(draft, { source: { kind: 'text', text }, parts });
  }
  if (['fetch', 'video', 'subtitles', 'lut', 'audio', 'authenticated', 'private'].includes(kind)) {
    refuse(word.text, 'layers are pictures of the library, or texts');
  }
  const names = (kind === 'image' ? [style, ...words] : word.value.split(':')).map((name) => decodeAgain(name, word));
  if (names[0] === 'upload' && kind === 'image') names.shift();
  const isWrong = names.some((name) => name === '' || name === '.' || name === '..' || /[\\/\0]/.test(name));
  if (names.length === 0 || isWrong) refuse(word.text, 'expected the name of a picture');
  if (word.key === 'u') parts.set('bl', 'bl_behind');
  return addLayer(draft, { source: { kind: 'picture', stem: names.join('/') }, parts });
}

function addLayer(draft: Draft, layer: LayerDraft): LayerDraft {
  draft.layers.push(layer);
  return layer;
}

function decodeAgain(text: string, word: Word): string {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    return refuse(word.text, 'its percent-encoding is broken');
  }
}

/** Translates `Arial_40_bold`: Darkroom uses its own fonts. */
function addStyle(draft: Draft, parts: Parts, style: string, word: Word): void {
  const words = style.split('_');
  const at = words.findIndex((one) => /^\d{1,3}$/.test(one));
  if (at < 1) refuse(word.text, 'expected a font and its size, as l_text:Arial_40:Hello');
  parts.set('fs', `fs_${within(Number(words[at]), 4, 512)}`);
  approximate(draft, words.slice(0, at).join('_'), 'the font is Noto Sans, whose letters are wider or narrower');
  for (const one of words.slice(at + 1)) {
    if (one === 'bold') parts.set('fw', 'fw_700');
    else if (one === 'light') parts.set('fw', 'fw_300');
    else if (one === 'italic') parts.set('fi', 'fi_true');
    else if (ALIGNMENTS.includes(one)) parts.set('al', `al_${one}`);
    else if (!['normal', 'none', 'stroke', ''].includes(one)) draft.ignored.push(`${words[0]}_${one}`);
  }
}

/** Adds the parameters of a component to their layer. @throws Refused for parameters that layers do not have */
export function addToLayer(draft: Draft, layer: LayerDraft, words: readonly Word[]): void {
  const isRelative = words.some(({ text }) => text === 'fl_relative');
  for (const word of words) {
    if (layer.source.kind === 'text') addTextWord(draft, layer.parts, word, isRelative);
    else addImageParameter(draft, layer.parts, word, isRelative);
  }
  if (layer.source.kind === 'picture' && layer.parts.has('w') && layer.parts.has('h') && !layer.parts.has('c')) {
    const mode = words.find(({ key }) => key === 'c')?.value ?? 'scale';
    if (mode === 'scale') layer.parts.set('c', 'c_scale');
  }
}

function addTextWord(draft: Draft, parts: Parts, word: Word, isRelative: boolean): void {
  const { key, value } = word;
  if (key === 'co') parts.set('co', `co_${requireColour(word)}`);
  else if (key === 'b') parts.set('b', `b_${requireColour(word)}`);
  else if (key === 'bo') parts.set('st', `st_${outlineOf(word)}`);
  else if (key === 'w' && !isRelative && (wholeOf(value) ?? 0) > 0) parts.set('w', `w_${Number(value)}`);
  else if (['c', 'h', 'w', 'r'].includes(key)) draft.ignored.push(word.text);
  else if (key === 'e' && !['multiply', 'screen', 'overlay'].includes(value))
    refuse(word.text, 'texts have no effects');
  else addPosition(draft, parts, word, isRelative);
}

function addImageParameter(draft: Draft, parts: Parts, word: Word, isRelative: boolean): void {
  const { key, value } = word;
  if (key === 'w' || key === 'h') parts.set(key, `${key}_${sideOf(word, isRelative)}`);
  else if (key === 'c') {
    const mode = Object.hasOwn(MODES, value) ? MODES[value] : undefined;
    if (mode !== undefined) parts.set('c', mode);
    else if (FILLS.includes(value)) parts.set('c', 'c_fill');
    else refuse(word.text, 'layers have no such way to crop');
  } else if (key === 'r' && /^(max|\d{1,4}(:\d{1,4}){0,3})$/.test(value)) parts.set('r', `r_${value}`);
  else addPosition(draft, parts, word, isRelative);
}

function addPosition(draft: Draft, parts: Parts, word: Word, isRelative: boolean): void {
  const { key, value, text } = word;
  if (key === 'g') {
    if (!shareOfDirection(value)) refuse(text, 'a layer lies at an edge, at a corner or in the middle');
    parts.set('g', text);
  } else if (key === 'x' || key === 'y') parts.set(key, `${key}_${offsetOf(word, isRelative)}`);
  else if (key === 'a') {
    readTurn(word);
    parts.set('a', text);
  } else if (key === 'o' && /^\d{1,3}$/.test(value)) parts.set('o', `o_${within(Number(value), 0, 100)}`);
  else if (key === 'e') addLayerEffect(draft, parts, word);
  else if (text === 'fl_tiled') parts.set('tl', 'tl_0');
  else if (text === 'fl_cutter') parts.set('bl', 'bl_mask');
  else if (text !== 'fl_layer_apply' && text !== 'fl_relative') draft.ignored.push(text);
}

function sideOf(word: Word, isRelative: boolean): string {
  const side = Number(word.value);
  if (isRelative && /^\d(\.\d{1,6})?$/.test(word.value) && side >= 0.01 && side <= 1) return writeShare(side);
  const pixels = word.value.includes('.') ? undefined : wholeOf(word.value);
  if (pixels === undefined || pixels < 1) refuse(word.text, 'expected whole pixels, or a share beside fl_relative');
  return String(pixels);
}

function offsetOf(word: Word, isRelative: boolean): string {
  if (isRelative && /^-?[01]?\.\d{1,6}$/.test(word.value)) return writeShare(within(Number(word.value), -1, 1));
  const pixels = word.value.includes('.') ? undefined : wholeOf(word.value);
  return String(pixels ?? refuse(word.text, 'expected whole pixels'));
}

/** Translates `4px_solid_red` to `4:ff0000`. @throws Refused for other borders */
export function outlineOf(word: Word): string {
  const [, width = '', colour = ''] = /^(\d{1,3})px_solid_(.+)$/.exec(word.value) ?? [];
  const painted = colourOf(colour);
  if (painted === undefined || Number(width) < 1) refuse(word.text, 'expected a border as 4px_solid_red');
  return `${Number(width)}:${painted}`;
}
