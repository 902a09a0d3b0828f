import { refuse, within } from '../refusal.ts';
import { approximate, type Draft, enter, type Parts, STAGE, type Word } from './draft.ts';
import { colourOf, wholeOf } from './values.ts';

/** Translated effect; without a part it changes nothing. */
interface Effect {
  part?: string;
  /** Difference from Cloudinary. */
  differs?: string;
}

/** Our effects, in our order. */
const ORDER =
  'blur_faces pixelate_faces pixelate blur saturation hue grayscale sepia duotone negate brightness contrast sharpen vignette cutout'.split(
    ' ',
  );
const IN_PIXELS = ['blur', 'pixelate', 'sharpen'];
const SCALE = 'its scale is not that of Darkroom: compare the pictures';
/** Enhancements: an image without them shows the same. */
const EXTRAS = new Set(
  'improve auto_color auto_brightness auto_contrast enhance viesus_correct redeye loop gen_restore fill_light'.split(
    ' ',
  ),
);

const percent = (key: string, usual: number) => (value: number | undefined) => {
  const amount = within(value ?? usual, -100, 100);
  return { ...(amount !== 0 && { part: `e_${key}:${amount}` }), differs: SCALE };
};

const sharper = (value: number | undefined) => ({
  part: `e_sharpen:${within((value ?? 100) / 100, 0.3, 10)}`,
  differs: SCALE,
});

const hidden = (name: string) => (value: number | undefined) => ({
  part: `e_${name}`,
  ...(value !== undefined && { differs: 'it is as strong as each face needs' }),
});

/** Effects by Cloudinary's names, with the whole number after the colon, if any. */
const EFFECTS: Readonly<Record<string, (value: number | undefined) => Effect>> = {
  grayscale: () => ({ part: 'e_grayscale' }),
  negate: () => ({ part: 'e_negate' }),
  sepia: (value = 80) => (value < 1 ? {} : { part: `e_sepia:${within(value, 1, 100)}` }),
  blur: (value = 100) => (value < 1 ? {} : { part: `e_blur:${within(value / 100, 0.3, 100)}`, differs: SCALE }),
  blur_faces: hidden('blur_faces'),
  pixelate_faces: hidden('pixelate_faces'),
  pixelate: (value) =>
    value === undefined
      ? { part: 'e_pixelate', differs: 'Cloudinary chooses the size of the squares' }
      : { part: `e_pixelate:${within(value, 2, 200)}` },
  sharpen: sharper,
  unsharp_mask: sharper,
  vignette: (value = 20) => (value < 1 ? {} : { part: `e_vignette:${within(value, 1, 100)}`, differs: SCALE }),
  brightness: percent('brightness', 80),
  brightness_hsb: percent('brightness', 80),
  contrast: percent('contrast', 0),
  saturation: percent('saturation', 80),
  hue: (value = 80) => ({
    ...(value !== 0 && { part: `e_hue:${Math.round(within(value, -100, 100) * 1.8)}` }),
    differs: SCALE,
  }),
  background_removal: () => ({ part: 'e_cutout', differs: 'Darkroom cuts out people, nothing else' }),
};

/** Adds an effect of the image. @throws Refused for one without a counterpart */
export function addEffect(draft: Draft, word: Word): void {
  const [name = '', ...values] = word.value.split(':');
  if (name === 'trim') {
    addTrim(draft, word, values[0]);
    return;
  }
  if (EXTRAS.has(name)) {
    draft.ignored.push(word.text);
    return;
  }
  const { part, differs } = name === 'tint' ? duotone(word, values) : readEffect(word, name, values);
  if (draft.stage > STAGE.change) enter(draft, STAGE.change, word.text);
  if (differs !== undefined) approximate(draft, word.text, differs);
  if (part === undefined) return;
  const own = part.slice(2).replace(/:.*/, '');
  const place = ORDER.indexOf(own);
  if (place < draft.effect) approximate(draft, word.text, 'Darkroom has an order of its own for effects');
  draft.effect = Math.max(place, draft.effect);
  if (IN_PIXELS.includes(own)) draft.inPixels.push(word.text);
  draft.parts.set(own, part);
}

/** Adds an effect or blend mode of a layer. @throws Refused for one without a counterpart */
export function addLayerEffect(draft: Draft, parts: Parts, word: Word): void {
  const [name = '', ...values] = word.value.split(':');
  if (['multiply', 'screen', 'overlay'].includes(name)) {
    parts.set('bl', `bl_${name}`);
    return;
  }
  const { part, differs } = readEffect(word, name, values);
  if (part === undefined) return;
  const own = part.slice(2).replace(/:.*/, '');
  if (own === 'cutout' || own.endsWith('_faces')) refuse(word.text, 'layers are not looked at for people');
  if (differs !== undefined) approximate(draft, word.text, differs);
  parts.set(own, part);
}

function readEffect(word: Word, name: string, [value, ...more]: readonly string[]): Effect {
  if (!Object.hasOwn(EFFECTS, name)) refuse(word.text, 'Darkroom has no such effect');
  const number = value === undefined ? undefined : wholeOf(value);
  if ((value !== undefined && number === undefined) || more.length > 0) refuse(word.text, 'expected one whole number');
  return (EFFECTS[name] as (value: number | undefined) => Effect)(number);
}

function duotone(word: Word, [amount, dark = '', light = '', ...more]: readonly string[]): Effect {
  const from = colourOf(dark);
  const to = colourOf(light);
  const isOpaque = (colour: string | undefined) => colour !== undefined && colour.length < 8;
  if (amount !== '100' || more.length > 0 || !isOpaque(from) || !isOpaque(to)) {
    refuse(word.text, 'only tint:100 with two colours has a counterpart');
  }
  return { part: `e_duotone:${from}:${to}`, differs: SCALE };
}

function addTrim(draft: Draft, word: Word, value = '10'): void {
  enter(draft, STAGE.trim, word.text);
  const tolerance = wholeOf(value);
  if (tolerance === undefined) refuse(word.text, 'expected one whole number');
  draft.parts.set('tr', `tr_${within(tolerance as number, 1, 100)}`);
}
