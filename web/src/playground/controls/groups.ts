import type { Asset, Parameter } from '../../api/types.ts';

export type GroupName = 'size' | 'focus' | 'clip' | 'format' | 'adjust' | 'effects' | 'advanced';

/** Keys of each group in the order of its controls. Other effects are in `effects`, and the rest in `advanced`. */
const KEYS: readonly (readonly [GroupName, readonly string[]])[] = [
  ['clip', ['so', 'eo', 't', 'tt']],
  ['size', ['w', 'h', 'ar', 'c', 'dpr', 'el']],
  ['focus', ['g', 'z']],
  ['format', ['f', 'q', 'an', 'fps', 'vc', 'au', 'ln']],
  ['adjust', ['a', 'e_brightness', 'e_contrast', 'e_saturation', 'e_hue', 'e_sharpen']],
  ['effects', ['r', 'bo', 'o']],
  ['advanced', []],
];

export interface Group {
  name: GroupName;
  parameters: readonly Parameter[];
}

/** Non-empty groups of parameters in the order in which an image is usually edited. */
export function groupParameters(parameters: readonly Parameter[]): Group[] {
  const named = new Set(KEYS.flatMap(([, keys]) => keys));
  const others = parameters.filter(({ key }) => !named.has(key));
  return KEYS.flatMap(([name, keys]) => {
    const own = keys.flatMap((key) => parameters.find((parameter) => parameter.key === key) ?? []);
    const rest = {
      effects: others.filter(isEffect),
      advanced: others.filter((parameter) => !isEffect(parameter)),
    };
    const all = [...own, ...(name === 'effects' || name === 'advanced' ? rest[name] : [])];
    return all.length === 0 ? [] : { name, parameters: all };
  });
}

export const isEffect = ({ separator }: Parameter): boolean => separator === ':';

const SVG = 'image/svg+xml';
const PDF = 'application/pdf';
const ANIMATED = ['image/gif', 'image/webp'];
const PAGED = [...ANIMATED, PDF, 'image/tiff'];
/** Detect people in photographs. */
const OF_PEOPLE = ['e_blur_faces', 'e_pixelate_faces', 'e_cutout'];

/** True for files that are drawn at any size. */
export const isVector = ({ type }: Pick<Asset, 'type'>): boolean => type === SVG || type === PDF;

/** False if a parameter has no effect on a file. A file whose frames are not counted yet may have several. */
export function canApply(key: string, source: Pick<Asset, 'kind' | 'type' | 'frames'>): boolean {
  const { kind, type, frames } = source;
  if (key === 'pg') return kind === 'image' && PAGED.includes(type) && frames !== 1;
  if (kind === 'video') return true;
  if (key === 'an') return ANIMATED.includes(type) && frames !== 1;
  if (key === 'el') return !isVector(source);
  return !OF_PEOPLE.includes(key) || type !== SVG;
}

/** `startOffset` is shown as `Start offset`. */
export const titleOf = (name: string) => {
  const text = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
};
