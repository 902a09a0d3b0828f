import { type Approximation, type Refusal, refusalOf, refuse, within } from '../refusal.ts';
import { readAddress } from './address.ts';
import { addDelivery, addVideo, formatOf, isFrameFormat } from './delivery.ts';
import { approximate, type Draft, enter, type LayerDraft, type Resource, STAGE, type Word } from './draft.ts';
import { addEffect } from './effects.ts';
import { splitExtension } from './extension.ts';
import { joinSizes } from './join-sizes.ts';
import { addToLayer, openLayer, outlineOf } from './layers.ts';
import { addSize } from './size.ts';
import { addTurn } from './turn.ts';

/** A translated Cloudinary URL. `writeSegment` writes its transformation once the file is known. */
export interface Translated {
  kind: 'translated';
  /** First name in the path before `image/upload`, if any. */
  cloud: string | undefined;
  resource: Resource;
  /** Path as written, decoded. Not validated: `parsePath` does that. */
  path: string;
  /** Cloudinary's public ID, without an extension that names a format. */
  stem: string;
  /** That extension; empty without one. It is the requested format, not that of the file. */
  extension: string;
  parts: readonly string[];
  /** Image and text layers. Names of images are public IDs as well. */
  layers: readonly LayerDraft[];
  /** Our name of the format in `f_`. */
  format: string | undefined;
  /** Named transformation. */
  preset: string | undefined;
  isAnimated: boolean;
  /**
   * Parameters without a counterpart that were left out: the image shows the same, perhaps cropped or enhanced
   * differently.
   */
  ignored: readonly string[];
  /** Parameters with a similar counterpart. */
  approximate: readonly Approximation[];
}

const VIDEO_ONLY = ['so', 'eo', 'du', 'vc', 'ac', 'fps', 'sp'];
/** Effects that change the order or length of a video. */
const CUTS = ['preview', 'reverse', 'accelerate', 'boomerang', 'transition', 'concatenate', 'dewarp'];

/**
 * Translates a Cloudinary delivery URL, complete or from its path on, in linear time.
 * @returns the translation, or the part without a counterpart; never throws
 */
export function translate(url: string): Translated | Refusal {
  try {
    return translateUrl(url);
  } catch (error) {
    return refusalOf(error);
  }
}

function translateUrl(url: string): Translated {
  const { cloud, resource, components, path } = readAddress(url);
  const { stem, extension } = splitExtension(path);
  const words = components.flat();
  if (resource === 'raw' && words.length > 0) refuse(words[0]?.text ?? '', 'raw files have no transformations');
  const makes = resource === 'video' && !requestsFrame(words, extension) ? 'video' : 'picture';
  const draft: Draft = {
    makes,
    parts: new Map(),
    layers: [],
    format: undefined,
    preset: undefined,
    isAnimated: false,
    stage: STAGE.start,
    inPixels: [],
    effect: 0,
    ignored: [],
    approximate: [],
  };
  addComponents(draft, joinSizes(draft, components), resource);
  if (resource === 'video' && makes === 'picture') finishFrame(draft, extension);
  finishTimes(draft, resource);
  finishWaveform(draft);
  finishPreset(draft);
  const { layers, format, preset, isAnimated, ignored } = draft;
  return {
    kind: 'translated',
    cloud,
    resource,
    path,
    stem,
    extension,
    parts: [...draft.parts.values()],
    layers,
    format,
    preset,
    isAnimated,
    ignored,
    approximate: draft.approximate,
  };
}

/** True if the result of a video is a frame: an extension decides if Cloudinary chooses the format. */
function requestsFrame(words: readonly Word[], extension: string): boolean {
  const [name = extension, wish] = words.findLast(({ key }) => key === 'f')?.value.split(':') ?? [];
  if (name !== 'auto') return isFrameFormat(formatOf(name));
  return wish === 'image' || (wish === undefined && isFrameFormat(formatOf(extension)));
}

/** Sets the format of a frame: `f_auto` would be a video. */
function finishFrame(draft: Draft, extension: string): void {
  if (draft.format !== 'auto') return;
  const requested = formatOf(extension);
  draft.format = isFrameFormat(requested) ? requested : 'jpeg';
  approximate(draft, 'f_auto', `it is f_${draft.format}`);
}

/** Adds components. A layer stays open until `fl_layer_apply`, if there is one, and gets the parameters before that. */
function addComponents(draft: Draft, components: readonly Word[][], resource: Resource): void {
  const applies = (words: readonly Word[]) => words.some(({ text }) => text.split('.').includes('fl_layer_apply'));
  const last = components.findLastIndex(applies);
  let open: LayerDraft | undefined;
  for (const [at, words] of components.entries()) {
    const named = words.find(({ key }) => key === 'l' || key === 'u');
    if (named) {
      if (open) refuse(named.text, 'a layer inside a layer');
      const layer = openLayer(draft, named);
      addToLayer(
        draft,
        layer,
        words.filter((word) => word !== named),
      );
      open = at < last ? layer : undefined;
    } else if (open) {
      addToLayer(draft, open, words);
      if (applies(words)) open = undefined;
    } else addComponent(draft, words, resource);
  }
}

function addComponent(draft: Draft, words: readonly Word[], resource: Resource): void {
  const byKey = new Map(words.map((word) => [word.key, word]));
  for (const word of words) {
    if (word.key === 'if' || word.key.startsWith('$') || word.key === 'fn') {
      refuse(word.text, 'there are no conditions, variables and functions');
    }
  }
  addSize(draft, byKey);
  const sized = ['c', 'w', 'h', 'ar', 'g', 'x', 'y', 'z'];
  // Colour only has a meaning together with the waveform flag.
  const rank = ({ key }: Word) => ['fl', 'a', 'e', 'bo', 'r', 'o', 'co'].indexOf(key);
  for (const word of words.toSorted((one, other) => rank(one) - rank(other))) {
    if (sized.includes(word.key)) continue;
    if (resource === 'video' && addVideo(draft, word)) continue;
    if (draft.makes === 'video') addToVideo(draft, word);
    else addToImage(draft, word);
  }
}

function addToVideo(draft: Draft, word: Word): void {
  const { key, value, text } = word;
  if (key === 'a') refuse(text, 'videos are not turned');
  if (key === 'e' && CUTS.includes(value.split(':', 1)[0] ?? '')) refuse(text, 'there is nothing like it for videos');
  if (['e', 'r', 'o', 'bo'].includes(key)) draft.ignored.push(text);
  else addDelivery(draft, word);
}

function addToImage(draft: Draft, word: Word): void {
  const { key, value, text } = word;
  if (key === 'a') addTurn(draft, word);
  else if (key === 'e') addEffect(draft, word);
  else if (/^(bo_0px_.*|r_0)$/.test(text)) return;
  else if (key === 'bo') {
    enter(draft, STAGE.edge, text);
    draft.parts.set('bo', `bo_${outlineOf(word)}`);
    approximate(draft, text, 'the border lies within the size');
  } else if (key === 'r') {
    if (!/^(max|\d{1,4}(:\d{1,4}){0,3})$/.test(value)) refuse(text, 'expected pixels, or max');
    enter(draft, STAGE.edge, text);
    draft.parts.set('r', text);
  } else if (key === 'o') {
    if (!/^\d{1,3}$/.test(value)) refuse(text, 'expected a percentage');
    enter(draft, STAGE.fade, text);
    draft.parts.set('o', `o_${within(Number(value), 0, 100)}`);
  } else addDelivery(draft, word);
}

/** Translates `du_` to the end; an end needs a start. */
function finishTimes(draft: Draft, resource: Resource): void {
  const { parts } = draft;
  const secondsIn = (key: string) => (parts.has(key) ? Number(parts.get(key)?.slice(key.length + 1)) : undefined);
  const [start = 0, end, length] = [secondsIn('so'), secondsIn('eo'), secondsIn('du')];
  parts.delete('du');
  const stop = end ?? (length === undefined ? undefined : start + length);
  if (draft.makes === 'picture' && resource === 'video' && !parts.has('wf')) {
    parts.delete('eo');
    if (!parts.has('so')) approximate(draft, 'so', 'the picture is the first of the video, not one from its middle');
    for (const key of [...VIDEO_ONLY, 'au']) if (key !== 'so') parts.delete(key);
    return;
  }
  if (stop === undefined) return;
  if (stop <= start) refuse(`eo_${stop}`, 'it ends before it begins');
  parts.set('so', `so_${start}`);
  parts.set('eo', `eo_${Math.round(stop * 1000) / 1000}`);
}

/** Restricts a waveform to its size and colours. */
function finishWaveform({ parts, ignored }: Draft): void {
  if (!parts.has('wf')) return;
  for (const [key, part] of parts) {
    if (['wf', 'so', 'eo', 'w', 'h', 'dpr', 'b', 'co', 'q'].includes(key)) continue;
    parts.delete(key);
    if (key !== 'c') ignored.push(part);
  }
}

/** Restricts a preset, which must be alone. Its encoding parameters are dropped. */
function finishPreset(draft: Draft): void {
  const { parts, preset, format } = draft;
  if (preset === undefined) return;
  const hasOthers = [...parts.values()].some((part) => !part.startsWith('q_'));
  if (hasOthers || draft.layers.length > 0) {
    refuse(`t_${preset}`, 'a preset stands alone: write one that has the other steps too');
  }
  if (parts.has('q')) draft.ignored.push(parts.get('q') ?? '');
  if (format !== undefined) draft.ignored.push(`f_${format}`);
}
