import { directionOf } from '../controls/directions.tsx';
import { type Layer, writeLayer } from '../layered.ts';
import { partValue, withPart } from '../parts.ts';
import { type Box, formatShare, type Point } from '../preview/geometry.ts';
import { listOf } from '../problem.ts';
import type { Listing } from '../segment.ts';

interface Size {
  width: number;
  height: number;
}

/** Image on which layers lie. */
export interface Ground {
  /** Result in pixels. */
  size: Size;
  /** Multiplier of lengths in pixels. */
  dpr: number;
  listing: Listing;
}

/** Average width of a letter, through the size of the font. */
const LETTER = 0.56;
const LINE = 1.36;

/**
 * Where a layer lies, in fractions of the result. The size of a text is an estimate: it is only a handle.
 * @param natural size of the layer's image; undefined until known
 * @returns undefined for a layer that covers everything
 */
export function boxOfLayer(layer: Layer, ground: Ground, natural: Size | undefined): Box | undefined {
  const { size, dpr, listing } = ground;
  const value = (key: string) => partValue(layer.parts, key, listOf(layer, listing)) ?? '';
  if (value('tl') !== '') return undefined;
  const { width, height } = layer.source.kind === 'text' ? textSize(layer.source.text, value, dpr) : imageSize();
  const x = lengthOf(value('x'), size.width, dpr);
  const y = lengthOf(value('y'), size.height, dpr);
  const direction = directionOf(value('g') || 'center');
  const has = (edge: string) => direction.includes(edge);
  const start = (space: number, by: number, isFirst: boolean, isLast: boolean) => {
    if (isFirst) return by;
    return isLast ? space - by : space / 2 + by;
  };
  const left = start(size.width - width, x, has('west'), has('east'));
  const top = start(size.height - height, y, has('north'), has('south'));
  return {
    x: left / size.width,
    y: top / size.height,
    width: width / size.width,
    height: height / size.height,
  };

  function imageSize(): Size {
    const ratio = natural ? natural.width / natural.height : 1;
    const w = lengthOf(value('w'), size.width, dpr);
    const h = lengthOf(value('h'), size.height, dpr);
    if (w > 0 && h > 0) return { width: w, height: h };
    if (w > 0) return { width: w, height: w / ratio };
    if (h > 0) return { width: h * ratio, height: h };
    const own = natural ?? { width: size.width / 4, height: size.width / 4 };
    const scale = Math.min(1, size.width / own.width, size.height / own.height);
    return { width: own.width * scale, height: own.height * scale };
  }
}

/** Pixels of the result. A number with a decimal point is a share of a side. */
function lengthOf(value: string, side: number, dpr: number): number {
  const number = Number(value) || 0;
  return value.includes('.') ? number * side : number * dpr;
}

function textSize(text: string, value: (key: string) => string, dpr: number): Size {
  const letter = (Number(value('fs')) || 32) * dpr;
  const lines = text.split('\n');
  const longest = Math.max(1, ...lines.map((line) => [...line].length)) * letter * LETTER;
  const most = Number(value('w')) * dpr || Number.POSITIVE_INFINITY;
  const rows = lines.length * Math.max(1, Math.ceil(longest / most));
  return { width: Math.min(longest, most), height: rows * letter * (Number(value('lh')) || LINE) };
}

/**
 * Moves a layer by a fraction of the result. Its edge stays, and so does the unit of its distances; new ones are
 * shares, which fit every width.
 * @param box of the layer; its centre stays on the image
 */
export function moveLayer(layer: Layer, { x, y }: Point, box: Box, ground: Ground): string {
  const { size, dpr, listing } = ground;
  const list = listOf(layer, listing);
  const direction = directionOf(partValue(layer.parts, 'g', list) || 'center');
  const move = (parts: string, key: 'x' | 'y', by: number, side: number) => {
    const old = partValue(parts, key, list) ?? '';
    const isShare = old === '' || old.includes('.');
    const now = isShare ? Number(old) + by : Number(old) + (by * side) / dpr;
    const text = isShare ? formatShare(Math.min(1, Math.max(-1, now)), 3) : String(Math.round(now));
    return withPart(parts, key, Number(text) === 0 ? undefined : text, list);
  };
  const dx = within(x, box.x + box.width / 2) * (direction.includes('east') ? -1 : 1);
  const dy = within(y, box.y + box.height / 2) * (direction.includes('south') ? -1 : 1);
  const parts = move(layer.parts, 'x', dx, size.width);
  return writeLayer({ ...layer, parts: move(parts, 'y', dy, size.height) });
}

const within = (by: number, centre: number) => Math.min(1, Math.max(0, centre + by)) - centre;
