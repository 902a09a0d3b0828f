import type { Size } from '../decoded-image.ts';
import {
  readFrameSize,
  readSequence,
  SEQUENCE_HEADER,
  type Sequence,
  type Slots,
  sequenceOf,
  type Unit,
  unitsOf,
  writeMost,
} from './av1-frames.ts';

/** Layers of an item. */
export interface LayerChoice {
  /** Operating point (`a1op`); 0 by default. */
  point: number;
  /** Displayed layer (`lsel`); undefined for the best one. */
  layer: number | undefined;
}

const FRAME_HEADER = 3;
const FRAME = 6;

/** A reserved type, which decoders skip. */
const SKIPPED = 9;

/**
 * Removes hidden layers of a stream, in place: libheif decodes all. Source: AV1 Image File Format 1.1, 2.3.
 * @returns the size of the last remaining frame; undefined if its header is not understood
 */
export function chooseLayers(stream: Buffer, { point, layer }: LayerChoice): Size | undefined {
  const slots: Slots = [];
  const sizes: (Size | undefined)[] = [];
  let header: Unit | undefined;
  let sequence: Sequence | undefined;
  for (const unit of unitsOf(stream)) {
    if (unit.type === SEQUENCE_HEADER) {
      header = unit;
      const read = readSequence(unit.data);
      sequence = read && read.points.length > 0 ? read : undefined;
    }
    if (!sequence) continue;
    const layers = sequence.points[point] ?? sequence.points[0] ?? 0;
    const isChosen = isIn(unit, layers) && (layer === undefined || (unit.spatial ?? 0) <= layer);
    if (!isChosen) skip(stream, unit.at);
    else if (unit.type === FRAME || unit.type === FRAME_HEADER) sizes.push(readFrameSize(unit.data, sequence, slots));
  }
  const known = sizes.filter((size) => size !== undefined);
  if (!header || !sequence || known.length < sizes.length) return undefined;
  // libheif rejects a stream that announces much larger frames than its item.
  writeMost(header.data, sequence, {
    width: Math.max(1, ...known.map(({ width }) => width)),
    height: Math.max(1, ...known.map(({ height }) => height)),
  });
  return known.at(-1);
}

/** True for a stream with several spatial layers. */
export function hasLayers(stream: Buffer): boolean {
  return sequenceOf(stream)?.points.some((layers) => layers >> 8 > 1) === true;
}

/** Changes a unit to a type that decoders skip. @param at position of its header */
function skip(bytes: Buffer, at: number): void {
  bytes[at] = ((bytes[at] as number) & 0b1000_0111) | (SKIPPED << 3);
}

/** Without layers in an operating point, all units belong to it. */
function isIn({ temporal, spatial }: Unit, layers: number): boolean {
  if (layers === 0 || temporal === undefined || spatial === undefined) return true;
  return ((layers >> temporal) & 1) === 1 && ((layers >> (spatial + 8)) & 1) === 1;
}
