import { refuse, within } from '../refusal.ts';
import type { Option } from './address.ts';
import { colourAt, type Draft, isTrue, numberAt, wholeAt } from './draft.ts';
import { gravityOf } from './gravity.ts';

type Add = (draft: Draft, option: Option) => void;

/** Effect of each option. Later ones replace earlier ones. */
const OPTIONS: Readonly<Record<string, Add>> = {
  ...named(['resize', 'rs'], (draft, option) => {
    if (option.values[0]) draft.mode = option.values[0];
    addSize(draft, option, 1);
  }),
  ...named(['size', 's'], (draft, option) => addSize(draft, option, 0)),
  ...named(['resizing_type', 'rt'], (draft, { values }) => {
    draft.mode = values[0] ?? '';
  }),
  ...named(['width', 'w'], (draft, option) => {
    draft.width = wholeAt(option, 0) ?? 0;
  }),
  ...named(['height', 'h'], (draft, option) => {
    draft.height = wholeAt(option, 0) ?? 0;
  }),
  ...named(['enlarge', 'el'], (draft, { values }) => {
    draft.isEnlarged = isTrue(values[0]);
  }),
  ...named(['extend', 'ex'], (draft, { values, text }) => addExtend(draft, values, text)),
  ...named(['extend_aspect_ratio', 'extend_ar', 'exar'], (_draft, { values, text }) => {
    if (isTrue(values[0])) refuse(text, 'this option has no counterpart here');
  }),
  ...named(['gravity', 'g'], (draft, { values, text }) => {
    draft.gravity = gravityOf(draft, values, text);
    draft.gravityValues = values;
  }),
  ...named(['crop', 'c'], (draft, option) => {
    const width = numberAt(option, 0) ?? 0;
    const height = numberAt(option, 1) ?? 0;
    draft.crop = { width, height, gravity: option.values.slice(2).filter((one) => one !== ''), text: option.text };
  }),
  ...named(['dpr'], (draft, option) => {
    const ratio = numberAt(option, 0, 0.01) ?? 1;
    set(draft, 'dpr', ratio === 1 ? undefined : `dpr_${within(ratio, 0.5, 4)}`);
    if (ratio !== within(ratio, 0.5, 4)) similar(draft, option, 'dpr is from 0.5 to 4');
  }),
  ...named(['trim', 't'], addTrim),
  ...named(['padding', 'pd'], (draft, option) => {
    const lengthAt = (at: number) => wholeAt(option, at, 2000);
    const top = lengthAt(0) ?? 0;
    const right = lengthAt(1) ?? top;
    draft.padding = [top, right, lengthAt(2) ?? top, lengthAt(3) ?? right];
  }),
  ...named(['rotate', 'rot'], (draft, option) => {
    const angle = wholeAt(option, 0) ?? 0;
    if (angle % 90 !== 0) refuse(option.text, 'expected a quarter turn');
    draft.rotation = angle % 360;
  }),
  ...named(['flip', 'fl'], (draft, { values, text }) => {
    const across = isTrue(values[0]);
    const down = isTrue(values[1]);
    if (across && down) refuse(text, 'expected one way to mirror: both are rotate:180');
    draft.mirrored = across ? 'hflip' : down ? 'vflip' : '';
  }),
  ...named(['background', 'bg'], addBackground),
  ...named(['preset', 'pr'], (draft, { values, text }) => {
    const [name = ''] = values;
    if (values.length > 1 || draft.preset !== undefined || !/^[\w-]+$/.test(name)) {
      refuse(text, 'one preset stands alone');
    }
    draft.preset = name;
  }),
  ...named(['raw'], (draft, { values }) => {
    draft.isRaw = isTrue(values[0]);
  }),
  ...named(['skip_processing', 'skp'], (draft, { values }) => {
    draft.skipped = values.map((one) => one.toLowerCase());
  }),
  ...named(['expires', 'exp'], (draft, option) => {
    draft.expires = wholeAt(option, 0, 1e10);
  }),
  ...named(['video_thumbnail_second', 'vts'], (draft, option) => {
    draft.second = numberAt(option, 0, 0, 86_400) ?? 1;
  }),
  ...named(['page', 'pg'], (draft, option) => set(draft, 'pg', `pg_${(wholeAt(option, 0, 9_999) ?? 0) + 1}`)),
  ...named(['quality', 'q'], (draft, option) => {
    const quality = wholeAt(option, 0, 100) ?? 0;
    set(draft, 'q', quality === 0 ? undefined : `q_${quality}`);
  }),
  ...named(['format_quality', 'fq'], (draft, option) => {
    const pairs = option.values.flatMap((format, at) =>
      at % 2 === 0 ? [[format, wholeAt(option, at + 1, 100) ?? 0] as const] : [],
    );
    draft.formatQuality = new Map(pairs);
  }),
  ...named(['autoquality', 'aq'], (draft, option) => {
    set(draft, 'q', option.values[0] === 'none' ? undefined : 'q_auto');
    if (option.values[0] !== 'none') similar(draft, option, 'it is q_auto');
  }),
  ...named(['format', 'f', 'ext'], (draft, { values }) => {
    draft.format = values[0];
  }),
  ...effects(),
  ...zeros(),
};

/** Options of encoding or handling that show the same image. */
const IGNORED =
  `max_bytes mb strip_metadata sm keep_copyright kcr strip_color_profile scp enforce_thumbnail eth auto_rotate ar dpi
  resizing_algorithm ra unsharp_masking ush jpeg_options jpgo png_options pngo webp_options webpo avif_options avifo filename fn
  return_attachment att fallback_image_url fiu video_thumbnail_keyframes vtk max_src_resolution msr max_src_file_size msfs
  max_animation_frames maf max_animation_frame_resolution mafr max_result_dimension mrd hashsum hs color_profile cp preserve_hdr ph`.split(
    /\s+/,
  );

/** Options that only change the URL. */
const SILENT = ['cachebuster', 'cb'];

/** @throws Refused for an option without a counterpart */
export function addOption(draft: Draft, option: Option): void {
  const { name, text } = option;
  const add = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (add) add(draft, option);
  else if (IGNORED.includes(name)) draft.ignored.push(text);
  else if (!SILENT.includes(name)) refuse(text, 'this option has no counterpart here');
}

function named(names: readonly string[], add: Add): Record<string, Add> {
  return Object.fromEntries(names.map((name) => [name, add]));
}

/** Options that have no effect if their first value is 0, and no counterpart otherwise. */
function zeros(): Record<string, Add> {
  const names = `watermark wm zoom z min-width mw min-height mh gradient gr colorize col draw_detections dd pages pgs`;
  return named(names.split(' '), (_draft, { name, values, text }) => {
    const isNothing = name.startsWith('z') ? values.every((value) => Number(value) === 1) : Number(values[0]) === 0;
    if (!isNothing) refuse(text, 'this option has no counterpart here');
  });
}

function effects(): Record<string, Add> {
  return {
    ...named(['blur', 'bl'], (draft, option) => addSigma(draft, option, 'blur', 100)),
    ...named(['sharpen', 'sh'], (draft, option) => addSigma(draft, option, 'sharpen', 10)),
    ...named(['pixelate', 'pix'], (draft, option) => {
      const size = wholeAt(option, 0) ?? 0;
      set(draft, 'pixelate', size < 2 ? undefined : `e_pixelate:${within(size, 2, 200)}`);
    }),
    ...named(['adjust', 'a'], (draft, option) => {
      for (const [at, name] of ['brightness', 'contrast', 'saturation'].entries()) addTone(draft, option, name, at);
    }),
    ...named(['brightness', 'br'], (draft, option) => addTone(draft, option, 'brightness', 0)),
    ...named(['contrast', 'co'], (draft, option) => addTone(draft, option, 'contrast', 0)),
    ...named(['saturation', 'sa'], (draft, option) => addTone(draft, option, 'saturation', 0)),
    ...named(['monochrome', 'mc'], (draft, option) => {
      const intensity = numberAt(option, 0, 0, 1) ?? 0;
      if (intensity > 0 && (intensity < 1 || colourAt(option, 1))) refuse(option.text, 'expected all of it, in grey');
      set(draft, 'grey', intensity === 0 ? undefined : 'e_grayscale');
      if (intensity > 0) similar(draft, option, 'it is e_grayscale');
    }),
    ...named(['duotone', 'dt'], (draft, option) => {
      const intensity = numberAt(option, 0, 0, 1) ?? 0;
      if (intensity > 0 && intensity < 1) refuse(option.text, 'expected all of it');
      const colours = `${colourAt(option, 1) ?? '000000'}:${colourAt(option, 2) ?? 'ffffff'}`;
      set(draft, 'duotone', intensity === 0 ? undefined : `e_duotone:${colours}`);
    }),
  };
}

function addSigma(draft: Draft, option: Option, effect: string, max: number): void {
  const sigma = numberAt(option, 0) ?? 0;
  set(draft, effect, sigma === 0 ? undefined : `e_${effect}:${Number(within(sigma, 0.3, max).toFixed(2))}`);
  if (sigma > 0) similar(draft, option, 'compare the pictures');
}

/** Adds tone options. Brightness is from -255 to 255; for the others 1 changes nothing. */
function addTone(draft: Draft, option: Option, effect: string, at: number): void {
  const isBrightness = effect === 'brightness';
  const value = numberAt(option, at, isBrightness ? -255 : 0, 255);
  if (value === undefined) return;
  const percent = Math.round(within(isBrightness ? value / 2.55 : (value - 1) * 100, -100, 100));
  set(draft, effect, percent === 0 ? undefined : `e_${effect}:${percent}`);
  if (percent !== 0) similar(draft, option, 'the formula is that of CSS');
}

function addSize(draft: Draft, option: Option, at: number): void {
  draft.width = wholeAt(option, at) ?? draft.width;
  draft.height = wholeAt(option, at + 1) ?? draft.height;
  const [enlarge, ...extend] = option.values.slice(at + 2);
  if (enlarge) draft.isEnlarged = isTrue(enlarge);
  if (extend.length > 0 && extend[0] !== '') addExtend(draft, extend, option.text);
}

function addExtend(draft: Draft, [extend, ...gravity]: readonly string[], text: string): void {
  draft.isExtended = isTrue(extend);
  draft.place = gravityOf(draft, gravity, text);
}

function addTrim(draft: Draft, option: Option): void {
  const threshold = numberAt(option, 0, 0, 255);
  if (threshold === undefined) return;
  set(draft, 'tr', `tr_${within(Math.round(threshold / 2.55), 1, 100)}`);
  if (option.values.slice(1).some((value) => value !== '')) {
    similar(draft, option, 'every border of one colour is cut, on each side as far as it goes');
  }
}

function addBackground(draft: Draft, option: Option): void {
  if (option.values.length < 3) {
    const colour = colourAt(option, 0);
    set(draft, 'b', colour && `b_${colour}`);
    return;
  }
  const channels = [0, 1, 2].map((at) => wholeAt(option, at, 255) ?? 0);
  set(draft, 'b', `b_${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`);
}

function set(draft: Draft, key: string, part: string | undefined): void {
  if (part === undefined) draft.parts.delete(key);
  else draft.parts.set(key, part);
}

function similar(draft: Draft, { text }: Option, reason: string): void {
  draft.approximate.push({ part: text, reason });
}
