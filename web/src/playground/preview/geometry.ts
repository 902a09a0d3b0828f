/** Geometry of the editors on the image. All lengths are fractions of the sides of the image. */

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

export interface Size {
  width: number;
  height: number;
}

export const WHOLE: Box = { x: 0, y: 0, width: 1, height: 1 };
/** Shortest side of a region. */
const LEAST = 0.02;

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** Returns the nearest point of the image. */
export const inImage = ({ x, y }: Point): Point => ({ x: clamp(x, 0, 1), y: clamp(y, 0, 1) });

/** Width through height of `16:9`; undefined if it is no ratio. */
export function parseRatio(text: string): number | undefined {
  const [across = 0, down = 0] = text.split(':').map(Number);
  return across > 0 && down > 0 ? across / down : undefined;
}

/** Ratios to choose from. */
export const USUAL_RATIOS = ['1:1', '4:3', '3:2', '16:9', '3:1', '4:5', '9:16'] as const;

/** Size after the quarter turns of `a`. Other angles enlarge the canvas, which counts as no more than the image. */
export function turned({ width, height }: Size, angle: string): Size {
  const degrees = Number(angle.split('.').at(-1)) || 0;
  return Math.abs(degrees) % 180 === 90 ? { width: height, height: width } : { width, height };
}

/** Writes a fraction with a decimal point, which tells it from pixels: `0.25`, `1.0`. */
export function formatShare(value: number, digits = 4): string {
  const text = String(Number(value.toFixed(digits)));
  return text.includes('.') ? text : `${text}.0`;
}

/** Parses `fp:0.3:0.7`. */
export function parsePoint(value: string): Point | undefined {
  const [, x = '', y = ''] = /^fp:([\d.]+):([\d.]+)$/.exec(value) ?? [];
  const isPoint = x !== '' && Number(x) <= 1 && Number(y) <= 1;
  return isPoint ? { x: Number(x), y: Number(y) } : undefined;
}

export const formatPoint = ({ x, y }: Point): string => `fp:${formatShare(x, 3)}:${formatShare(y, 3)}`;

/** Parses the value of `rg`: pixels, or fractions with a decimal point. @param size of the image in pixels */
export function parseRegion(value: string, { width, height }: Size): Box | undefined {
  const texts = value.split(':');
  const sides = [width, height, width, height];
  const shares = texts.map((text, index) => (text.includes('.') ? Number(text) : Number(text) / (sides[index] ?? 1)));
  const [x = 0, y = 0, w = 0, h = 0] = shares;
  if (value === '' || texts.length !== 4 || !shares.every((share) => share >= 0) || !(w > 0 && h > 0)) return undefined;
  if (x >= 1 || y >= 1) return undefined;
  return { x, y, width: Math.min(w, 1 - x), height: Math.min(h, 1 - y) };
}

/** Writes the value of `rg` in fractions, which also fit a replaced file. Empty for the whole image. */
export function formatRegion({ x, y, width, height }: Box): string {
  const texts = [x, y, width, height].map((value) => formatShare(value));
  return texts.join(':') === '0.0:0.0:1.0:1.0' ? '' : texts.join(':');
}

export function moveBox(box: Box, dx: number, dy: number): Box {
  return { ...box, x: clamp(box.x + dx, 0, 1 - box.width), y: clamp(box.y + dy, 0, 1 - box.height) };
}

/** Edges that a handle moves, as in `se`. */
export type Handle = 'nw' | 'n' | 'ne' | 'e' | 'se' | 's' | 'sw' | 'w';
export const HANDLES: readonly Handle[] = ['nw', 'n', 'ne', 'e', 'se', 's', 'sw', 'w'];

/** Moves edges of a box. @param lock width through height, both in fractions */
export function resizeBox(box: Box, handle: Handle, { x: dx, y: dy }: Point, lock?: number): Box {
  const has = (edge: string) => handle.includes(edge);
  const right = box.x + box.width;
  const bottom = box.y + box.height;
  const left = has('w') ? clamp(box.x + dx, 0, Math.max(0, right - LEAST)) : box.x;
  const top = has('n') ? clamp(box.y + dy, 0, Math.max(0, bottom - LEAST)) : box.y;
  const width = (has('e') ? clamp(right + dx, left + LEAST, 1) : right) - left;
  const height = (has('s') ? clamp(bottom + dy, top + LEAST, 1) : bottom) - top;
  if (lock === undefined) return { x: left, y: top, width, height };
  const isWide = has('e') || has('w');
  const wanted = isWide ? { width, height: width / lock } : { width: height * lock, height };
  const room = { width: has('w') ? right : 1 - left, height: has('n') ? bottom : 1 - top };
  const scale = Math.min(1, room.width / wanted.width, room.height / wanted.height);
  const size = { width: wanted.width * scale, height: wanted.height * scale };
  // Rounding may leave a difference just below 0.
  const x = has('w') ? Math.max(0, right - size.width) : left;
  const y = has('n') ? Math.max(0, bottom - size.height) : top;
  return { x, y, ...size };
}

/** Largest box of a ratio within another one, around the same centre. @param lock as in `resizeBox` */
export function fitRatio(box: Box, lock: number): Box {
  const width = Math.min(box.width, box.height * lock);
  // The quotient may be greater than the box by rounding, and the box would begin outside the image.
  const height = Math.min(box.height, width / lock);
  return { x: box.x + (box.width - width) / 2, y: box.y + (box.height - height) / 2, width, height };
}

/** Box between two points. */
export function boxBetween(from: Point, to: Point, lock?: number): Box {
  const handle = `${to.y < from.y ? 'n' : 's'}${to.x < from.x ? 'w' : 'e'}` as Handle;
  const start = { x: clamp(from.x, 0, 1), y: clamp(from.y, 0, 1), width: 0, height: 0 };
  return resizeBox(start, handle, { x: to.x - from.x, y: to.y - from.y }, lock);
}
