import { refuse } from '../refusal.ts';
import { approximate, type Draft, type Word, type Words } from './draft.ts';

/** Directions as shares of the free space, from the left and the top. */
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  center: [0.5, 0.5],
  north: [0.5, 0],
  south: [0.5, 1],
  east: [1, 0.5],
  west: [0, 0.5],
  north_east: [1, 0],
  north_west: [0, 0],
  south_east: [1, 1],
  south_west: [0, 1],
};

/** Returns the shares of a direction; undefined for other values. */
export function shareOfDirection(word: string): readonly [number, number] | undefined {
  return Object.hasOwn(DIRECTIONS, word) ? DIRECTIONS[word] : undefined;
}

/** Translates `g_`. @throws Refused for values without a counterpart */
export function gravityOf(draft: Draft, word: Word): string {
  const [name = '', ...details] = word.value.split(':');
  if (shareOfDirection(name)) return name;
  if (['face', 'faces'].includes(name)) {
    if (details.length > 0 && details[0] !== 'center') approximate(draft, word.text, 'it is g_face');
    return 'face';
  }
  if (['adv_face', 'adv_faces', 'adv_eyes'].includes(name)) {
    approximate(draft, word.text, 'it is g_face');
    return 'face';
  }
  if (name === 'custom') return 'focal';
  if (name === 'auto') {
    if (details.length > 0) approximate(draft, word.text, 'it is g_auto');
    return 'auto';
  }
  if (name === '' || name === 'liquid' || name === 'xy_center') refuse(word.text, 'Darkroom has no such gravity');
  approximate(draft, word.text, 'Darkroom knows no such things: it is g_auto');
  return 'auto';
}

/** Translates `g_xy_center` with shares into a point; undefined for other values. @throws Refused for pixels */
export function pointOf(words: Words): string | undefined {
  const word = words.get('g');
  if (word?.value !== 'xy_center') return undefined;
  const x = words.get('x')?.value ?? '';
  const y = words.get('y')?.value ?? '';
  const isPosition = (text: string) => /^[01]\.\d{1,6}$/.test(text) && Number(text) <= 1;
  if (!isPosition(x) || !isPosition(y)) refuse(word.text, 'a point needs x and y as shares from 0.0 to 1.0');
  return `fp:${x}:${y}`;
}
