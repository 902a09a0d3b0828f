import { Bits } from '../colour/bits.ts';
import type { Size } from '../decoded-image.ts';

/** Fields that a frame header depends on. Source: AV1 Bitstream & Decoding Process Specification (2019), 5.5. */
export interface Sequence {
  /** Layers of each operating point: the lower 8 bits for temporal layers, the upper 4 for spatial ones. */
  points: readonly number[];
  widthBits: number;
  heightBits: number;
  /** Size of frames that do not state their own. */
  most: Size;
  /** Position of that size in the header, in bits. */
  mostAt: number;
  isReduced: boolean;
  /** Bits of a frame number; 0 if there is none. */
  idBits: number;
  idDeltaBits: number;
  /** 0, 1, or 2 if each frame states it. */
  screenTools: number;
  integerMotion: number;
  orderBits: number;
}

const SAID_BY_FRAME = 2;

/** Undefined for a stream with video timing, and a truncated one. */
export function readSequence(unit: Buffer): Sequence | undefined {
  const bits = new Bits(unit);
  bits.take(4);
  const isReduced = bits.flag();
  const points = isReduced ? [0] : readPoints(bits);
  if (!points) return undefined;
  if (isReduced) bits.take(5);
  const widthBits = bits.take(4) + 1;
  const heightBits = bits.take(4) + 1;
  const mostAt = bits.position;
  const most = { width: bits.take(widthBits) + 1, height: bits.take(heightBits) + 1 };
  const hasIds = !isReduced && bits.flag();
  const idDeltaBits = hasIds ? bits.take(4) + 2 : 0;
  const idBits = hasIds ? bits.take(3) + 1 + idDeltaBits : 0;
  bits.take(3);
  const tools = isReduced
    ? { screenTools: SAID_BY_FRAME, integerMotion: SAID_BY_FRAME, orderBits: 0 }
    : readTools(bits);
  if (bits.isOver()) return undefined;
  return { points, widthBits, heightBits, most, mostAt, isReduced, idBits, idDeltaBits, ...tools };
}

/** Writes the size of frames that do not state their own into a header, in place. */
export function writeMost(unit: Buffer, { mostAt, widthBits, heightBits }: Sequence, { width, height }: Size): void {
  const text = (width - 1).toString(2).padStart(widthBits, '0') + (height - 1).toString(2).padStart(heightBits, '0');
  for (const [index, bit] of [...text].entries()) {
    const at = mostAt + index;
    const mask = 128 >> (at & 7);
    const byte = unit[at >> 3] as number;
    unit[at >> 3] = bit === '1' ? byte | mask : byte & ~mask;
  }
}

function readPoints(bits: Bits): number[] | undefined {
  const hasTiming = bits.flag();
  const hasDelay = bits.flag();
  if (hasTiming || hasDelay) return undefined;
  const points: number[] = [];
  for (let left = bits.take(5) + 1; left > 0; left--) {
    points.push(bits.take(12));
    if (bits.take(5) > 7) bits.take(1);
  }
  return points;
}

function readTools(bits: Bits): Pick<Sequence, 'screenTools' | 'integerMotion' | 'orderBits'> {
  bits.take(4);
  const hasOrder = bits.flag();
  if (hasOrder) bits.take(2);
  const screenTools = bits.flag() ? SAID_BY_FRAME : bits.take(1);
  let integerMotion = SAID_BY_FRAME;
  if (screenTools > 0 && !bits.flag()) integerMotion = bits.take(1);
  return { screenTools, integerMotion, orderBits: hasOrder ? bits.take(3) + 1 : 0 };
}

const KEY_FRAME = 0;
const INTER_FRAME = 1;
const SWITCH_FRAME = 3;
const ALL_SLOTS = 255;
const REFERENCES = 7;

/** Frames that later ones may refer to. */
export type Slots = (Size | undefined)[];

/**
 * Reads the size of a frame and stores it in its slots. Undefined for headers that still images do not need. Source:
 * AV1 Bitstream & Decoding Process Specification (2019), 5.9.2 to 5.9.7.
 */
export function readFrameSize(unit: Buffer, sequence: Sequence, slots: Slots): Size | undefined {
  if (sequence.isReduced) return sequence.most;
  const bits = new Bits(unit);
  if (bits.flag()) return undefined;
  const kind = bits.take(2);
  const isShown = bits.flag();
  if (!isShown) bits.take(1);
  const refreshesAll = kind === SWITCH_FRAME || (kind === KEY_FRAME && isShown);
  const isResilient = refreshesAll || bits.flag();
  bits.take(1);
  skipTools(bits, sequence);
  bits.take(sequence.idBits);
  const isOverridden = kind === SWITCH_FRAME || bits.flag();
  bits.take(sequence.orderBits);
  const isInter = kind === INTER_FRAME || kind === SWITCH_FRAME;
  if (isInter && !isResilient) bits.take(3);
  const refreshed = refreshesAll ? ALL_SLOTS : bits.take(8);
  if ((isInter || refreshed !== ALL_SLOTS) && isResilient) bits.take(8 * sequence.orderBits);
  const references = isInter ? readReferences(bits, sequence) : [];
  const referred = isInter && isOverridden && !isResilient ? references?.find(() => bits.flag()) : undefined;
  const size = referred === undefined ? readOwnSize(bits, sequence, isOverridden) : slots[referred];
  if (!references || !size || bits.isOver()) return undefined;
  refreshSlots(slots, refreshed, size);
  return size;
}

function skipTools(bits: Bits, { screenTools, integerMotion }: Sequence): void {
  const hasScreenTools = screenTools === SAID_BY_FRAME ? bits.flag() : screenTools === 1;
  if (hasScreenTools && integerMotion === SAID_BY_FRAME) bits.take(1);
}

/** @param refreshed one bit per slot */
function refreshSlots(slots: Slots, refreshed: number, size: Size): void {
  for (let slot = 0; slot < 8; slot++) if (refreshed & (1 << slot)) slots[slot] = size;
}

function readOwnSize(bits: Bits, { most, widthBits, heightBits }: Sequence, isOverridden: boolean): Size {
  if (!isOverridden) return most;
  const width = bits.take(widthBits) + 1;
  const height = bits.take(heightBits) + 1;
  return { width, height };
}

/** Reads the slots that a frame refers to. Undefined if they follow from the order of the frames. */
function readReferences(bits: Bits, { orderBits, idBits, idDeltaBits }: Sequence): number[] | undefined {
  if (orderBits > 0 && bits.flag()) return undefined;
  return Array.from({ length: REFERENCES }, () => {
    const slot = bits.take(3);
    if (idBits > 0) bits.take(idDeltaBits);
    return slot;
  });
}
