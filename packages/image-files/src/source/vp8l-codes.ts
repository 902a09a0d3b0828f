/** Prefix codes of a lossless WebP, and the bits that they are read from. Source: RFC 9649, 3.7.2. */

/** Lengths of code lengths come in this order. */
const LENGTH_ORDER = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;
/** Codes of repeated lengths: the last non-zero length, or zero. */
const REPEAT = 16;
const ZEROS = 17;
const MORE_ZEROS = 18;
/** Repeated length before any non-zero one was read. */
const FIRST_LENGTH = 8;
const MOST_BITS = 15;
/** A table entry is a symbol above four bits for the length of its code. */
const LENGTH_BITS = 4;

/** Reads bits from the least significant one on. Zeros after the end. */
export class BitReader {
  readonly #bytes: Uint8Array;
  readonly #bits: number;
  #at = 0;

  constructor(bytes: Uint8Array) {
    // Padded, so that four bytes can be read at each position up to the end.
    this.#bytes = new Uint8Array(bytes.length + 4);
    this.#bytes.set(bytes);
    this.#bits = bytes.length * 8;
  }

  get isPastEnd(): boolean {
    return this.#at > this.#bits;
  }

  /** @param count at most 24 */
  read(count: number): number {
    const value = this.#peek() & ((1 << count) - 1);
    this.#at += count;
    return value;
  }

  symbol({ table, mask }: PrefixCode): number {
    const entry = table[this.#peek() & mask] as number;
    this.#at += entry & ((1 << LENGTH_BITS) - 1);
    return entry >> LENGTH_BITS;
  }

  #peek(): number {
    const bytes = this.#bytes;
    const first = this.#at >>> 3;
    if (first + 4 > bytes.length) return 0;
    const low = (bytes[first] as number) | ((bytes[first + 1] as number) << 8);
    const high = ((bytes[first + 2] as number) << 16) | ((bytes[first + 3] as number) << 24);
    return (low | high) >>> (this.#at & 7);
  }
}

export interface PrefixCode {
  table: Uint16Array;
  mask: number;
}

/**
 * Reads the lengths of one prefix code.
 * @param lengths one per symbol of the alphabet; overwritten
 * @returns false for damaged data
 */
export function readLengths(bits: BitReader, lengths: Uint8Array): boolean {
  lengths.fill(0);
  if (bits.read(1) === 0) return readCodedLengths(bits, lengths);
  const hasSecond = bits.read(1) === 1;
  const first = bits.read(bits.read(1) === 1 ? 8 : 1);
  const second = hasSecond ? bits.read(8) : first;
  if (first >= lengths.length || second >= lengths.length) return false;
  lengths[first] = 1;
  lengths[second] = 1;
  return true;
}

function readCodedLengths(bits: BitReader, lengths: Uint8Array): boolean {
  const ofLengths = new Uint8Array(LENGTH_ORDER.length);
  const lengthCount = 4 + bits.read(4);
  for (const symbol of LENGTH_ORDER.slice(0, lengthCount)) ofLengths[symbol] = bits.read(3);
  let left = bits.read(1) === 0 ? lengths.length : 2 + bits.read(2 + 2 * bits.read(3));
  const code = prefixCode(ofLengths);
  if (!code || left > lengths.length) return false;
  let last = FIRST_LENGTH;
  for (let symbol = 0; symbol < lengths.length && left > 0; left--) {
    const length = bits.symbol(code);
    if (length < REPEAT) {
      lengths[symbol++] = length;
      if (length > 0) last = length;
    } else {
      const count = repetitions(bits, length);
      if (symbol + count > lengths.length) return false;
      if (length === REPEAT) lengths.fill(last, symbol, symbol + count);
      symbol += count;
    }
  }
  return !bits.isPastEnd;
}

function repetitions(bits: BitReader, code: number): number {
  if (code === MORE_ZEROS) return 11 + bits.read(7);
  return 3 + bits.read(code === ZEROS ? 3 : 2);
}

/** Makes the table of a canonical code; undefined if its lengths are no complete code. */
export function prefixCode(lengths: Uint8Array): PrefixCode | undefined {
  const only = onlySymbol(lengths);
  // A code of one symbol takes no bits.
  if (only !== undefined) return { table: Uint16Array.of(only << LENGTH_BITS), mask: 0 };
  const counts = new Uint32Array(MOST_BITS + 1);
  for (const length of lengths) if (length > 0) (counts[length] as number)++;
  const next = new Uint32Array(MOST_BITS + 2);
  for (let length = 1; length <= MOST_BITS; length++) {
    next[length + 1] = ((next[length] as number) + (counts[length] as number)) * 2;
  }
  if (next[MOST_BITS + 1] !== 2 ** (MOST_BITS + 1)) return undefined;
  const size = 1 << Math.max(...lengths.values());
  const table = new Uint16Array(size);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] as number;
    if (length === 0) continue;
    const start = reversed(next[length] as number, length);
    next[length] = (next[length] as number) + 1;
    for (let at = start; at < size; at += 1 << length) table[at] = (symbol << LENGTH_BITS) | length;
  }
  return { table, mask: size - 1 };
}

/** Returns the symbol of a code with only one. */
export function onlySymbol(lengths: Uint8Array): number | undefined {
  let only: number | undefined;
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    if (lengths[symbol] === 0) continue;
    if (only !== undefined) return undefined;
    only = symbol;
  }
  return only;
}

function reversed(code: number, length: number): number {
  let result = 0;
  for (let bit = 0; bit < length; bit++) result |= ((code >> bit) & 1) << (length - 1 - bit);
  return result;
}
