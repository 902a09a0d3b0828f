import { refuse, writeShare } from '../refusal.ts';
import type { Draft } from './draft.ts';

/** Directions of imgproxy, ours, and their shares of the free space. */
const DIRECTIONS: Readonly<Record<string, readonly [string, number, number]>> = {
  ce: ['center', 0.5, 0.5],
  no: ['north', 0.5, 0],
  so: ['south', 0.5, 1],
  ea: ['east', 1, 0.5],
  we: ['west', 0, 0.5],
  noea: ['north_east', 1, 0],
  nowe: ['north_west', 0, 0],
  soea: ['south_east', 1, 1],
  sowe: ['south_west', 0, 1],
};

/** Translates gravity to `g_`. @throws Refused for offsets, and for values without a counterpart */
export function gravityOf(draft: Draft, values: readonly string[], text: string): string {
  const [type = 'ce', ...more] = values;
  if (type === 'sm') return 'auto';
  if (type === 'fp') return `fp:${pointOf(more, text).join(':')}`;
  if (type === 'obj' || type === 'objw') {
    const classes = type === 'obj' ? more : more.filter((_, at) => at % 2 === 0);
    if (classes.every((name) => name === 'face') && classes.length > 0) return 'face';
    draft.approximate.push({ part: text, reason: 'Darkroom knows no such things: it is g_auto' });
    return 'auto';
  }
  const found = Object.hasOwn(DIRECTIONS, type) ? DIRECTIONS[type] : undefined;
  if (!found) refuse(text, 'Darkroom has no such gravity');
  if (more.some((offset) => Number(offset) !== 0)) refuse(text, 'a gravity has no offsets here: a crop with nowe has');
  return found[0];
}

/** Translates a crop to `rg_`. @throws Refused if it depends on the size of the image */
export function regionOf({ crop, gravityValues }: Draft): string | undefined {
  if (!crop || (crop.width === 0 && crop.height === 0)) return undefined;
  const { text } = crop;
  const [type = 'ce', first = '0', second = '0'] = crop.gravity.length > 0 ? crop.gravity : gravityValues;
  const width = lengthOf(crop.width);
  const height = lengthOf(crop.height);
  if (type === 'nowe') return `rg_${startOf(first, text)}:${startOf(second, text)}:${width}:${height}`;
  const point = type === 'fp' ? pointOf([first, second], text) : undefined;
  const found = Object.hasOwn(DIRECTIONS, type) ? DIRECTIONS[type] : undefined;
  if (!found && !point) refuse(text, 'this gravity cannot be that of a crop here');
  if (found && (Number(first) !== 0 || Number(second) !== 0)) refuse(text, 'only nowe has offsets here');
  const place = (length: string, share: number, at: number | undefined) => {
    if (!point && share === 0) return '0';
    if (!length.includes('.')) refuse(text, 'a crop in pixels needs the gravity nowe here');
    const free = 1 - Number(length);
    return writeShare(at === undefined ? free * share : Math.min(free, Math.max(0, at - Number(length) / 2)));
  };
  const across = place(width, found?.[1] ?? 0, point?.[0]);
  const down = place(height, found?.[2] ?? 0, point?.[1]);
  return `rg_${across}:${down}:${width}:${height}`;
}

function pointOf(values: readonly string[], text: string): [number, number] {
  const [x, y] = values.map((value) => (/^[01](\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN));
  return x !== undefined && y !== undefined && x <= 1 && y <= 1
    ? [x, y]
    : refuse(text, 'expected a point from 0 to 1, as fp:0.3:0.7');
}

/** Pixels from 1 on, a share below; 0 is everything. */
function lengthOf(length: number): string {
  if (length === 0) return '1.0';
  return length >= 1 ? String(Math.round(length)) : writeShare(length);
}

function startOf(offset: string, text: string): string {
  const start = /^\d{1,6}(\.\d{1,6})?$/.test(offset) ? Number(offset) : refuse(text, 'expected an offset from 0 on');
  if (start === 0) return '0';
  return start >= 1 ? String(Math.round(start)) : writeShare(start);
}
