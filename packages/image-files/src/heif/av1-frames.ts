import { Bits } from '../colour/bits.ts';
import type { CodePoints } from '../colour/description.ts';
import type { SampleRange } from '../colour/sample-range.ts';
import type { Size } from '../decoded-image.ts';

/** Unit type of a sequence header. */
export const SEQUENCE_HEADER = 1;
const MOST_UNITS = 1000;
/** Most bytes of a unit's size, with seven bits each (leb128). */
const SIZE_BYTES = 8;

const SAID_BY_FRAME = 2;

const BT709_PRIMARIES = 1;
const SRGB_TRANSFER = 13;
const RGB_MATRIX = 0;

/** A unit (OBU) of a stream. */
export interface Unit {
  /** Position of its header. */
  at: number;
  type: number;
  /** Its temporal and spatial layers; undefined if it belongs to all. */
  temporal: number | undefined;
  spatial: number | undefined;
  data: Buffer;
}

/** A sequence header. Source: AV1 Bitstream & Decoding Process Specification (2019), 5.5. */
export interface Sequence {
  /**
   * Layers of each operating point: the lower 8 bits for temporal layers, the upper 4 for spatial ones. None for a
   * stream with video timing, whose frames are not read.
   */
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
  /** Undefined if it states none. */
  codes: CodePoints | undefined;
  /** Undefined if it is truncated. */
  range: SampleRange | undefined;
}

/** Yields the units of a stream. Source: AV1 Bitstream & Decoding Process Specification (2019), 5.3. */
export function* unitsOf(stream: Buffer): Generator<Unit> {
  let start = 0;
  for (let count = 0; start < stream.length && count < MOST_UNITS; count++) {
    const head = stream[start] as number;
    const isLayered = (head & 4) !== 0;
    const layers = stream[start + 1] ?? 0;
    let at = start + (isLayered ? 2 : 1);
    let size = head & 2 ? 0 : stream.length - at;
    for (let digit = 0; head & 2 && digit < SIZE_BYTES && at < stream.length; digit++) {
      const byte = stream[at++] as number;
      size += (byte & 127) * 128 ** digit;
      if (byte < 128) break;
    }
    yield {
      at: start,
      type: (head >> 3) & 15,
      temporal: isLayered ? layers >> 5 : undefined,
      spatial: isLayered ? (layers >> 3) & 3 : undefined,
      data: stream.subarray(at, at + size),
    };
    start = at + size;
  }
}

/** Reads the first sequence header of a stream; undefined if it is missing, or truncated before its colours. */
export function sequenceOf(stream: Buffer): Sequence | undefined {
  const header = unitsOf(stream).find(({ type }) => type === SEQUENCE_HEADER);
  return header && readSequence(header.data);
}

/** Undefined if it is truncated before its colours. */
export function readSequence(unit: Buffer): Sequence | undefined {
  const bits = new Bits(unit);
  const profile = bits.take(3);
  bits.take(1);
  const isReduced = bits.flag();
  const points = isReduced ? [0] : readPoints(bits);
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
  bits.take(3);
  const colour = readColour(bits, profile);
  return { points, widthBits, heightBits, most, mostAt, isReduced, idBits, idDeltaBits, ...tools, ...colour };
}

function readPoints(bits: Bits): number[] {
  let delayBits = 0;
  const hasTiming = bits.flag();
  if (hasTiming) {
    bits.take(64);
    if (bits.flag()) bits.exponential();
    if (bits.flag()) {
      delayBits = bits.take(5) + 1;
      bits.take(42);
    }
  }
  const hasDelays = bits.flag();
  const points: number[] = [];
  for (let left = bits.take(5) + 1; left > 0; left--) {
    points.push(bits.take(12));
    if (bits.take(5) > 7) bits.take(1);
    if (delayBits > 0 && bits.flag()) bits.take(2 * delayBits + 1);
    if (hasDelays && bits.flag()) bits.take(4);
  }
  return hasTiming || hasDelays ? [] : points;
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

function readColour(bits: Bits, profile: number): Pick<Sequence, 'codes' | 'range'> {
  const isDeep = bits.flag();
  if (profile === 2 && isDeep) bits.take(1);
  const isMonochrome = profile !== 1 && bits.flag();
  let codes: CodePoints | undefined;
  let isRgb = false;
  if (bits.flag()) {
    const primaries = bits.take(8);
    const transfer = bits.take(8);
    if (!bits.isOver()) codes = { primaries, transfer };
    const matrix = bits.take(8);
    isRgb = primaries === BT709_PRIMARIES && transfer === SRGB_TRANSFER && matrix === RGB_MATRIX;
  }
  // RGB in sRGB has no flag: its range is always full.
  const isNarrow = !(isRgb && !isMonochrome) && !bits.flag();
  return { codes, range: bits.isOver() ? undefined : { isMonochrome, isNarrow, isStated: true } };
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
