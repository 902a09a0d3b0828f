/** An EBML element (RFC 8794), with offsets in the bytes that it was read from. */
export interface Element {
  id: number;
  content: number;
  /** Offset after its content; infinite for an element of unknown size, as in a live recording. */
  end: number;
}

/** Reads the head of an element; undefined if there is none. */
export function readElement(bytes: Buffer, start: number): Element | undefined {
  const width = widthOf(bytes[start]);
  const sizeAt = start + width;
  const sizeWidth = widthOf(bytes[sizeAt]);
  if (width > 4 || sizeWidth > 8 || sizeAt + sizeWidth > bytes.length) return undefined;
  const id = bytes.readUIntBE(start, width);
  const digits = [(bytes[sizeAt] ?? 0) & (0xff >> sizeWidth), ...bytes.subarray(sizeAt + 1, sizeAt + sizeWidth)];
  const size = digits.reduce((number, byte) => number * 256 + byte, 0);
  const content = sizeAt + sizeWidth;
  // All ones mean unknown.
  const end = size >= 2 ** (7 * sizeWidth) - 1 ? Number.POSITIVE_INFINITY : content + size;
  return { id, content, end };
}

/** Returns the bytes of a number, by the position of its first set bit; 9 if none is set. */
function widthOf(first = 0): number {
  return Math.clz32(first) - 23;
}
