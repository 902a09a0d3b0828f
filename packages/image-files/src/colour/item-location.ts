/** A piece of an item's bytes. Length 0 means up to the end. */
export interface Extent {
  item: number;
  at: number;
  length: number;
  /** True if `at` is relative to the `idat` box instead of the file. */
  isInMeta: boolean;
}

/** Yields the extents in an `iloc` box, up to the first truncated one. Source: ISO/IEC 14496-12, 8.11.3. */
export function* extentsOf(iloc: Buffer): Generator<Extent> {
  const version = iloc[0] ?? 0;
  let at = 6;
  const take = (bytes: number) => {
    const part = iloc.subarray(at, at + bytes);
    at += bytes;
    return part.reduce((value, byte) => value * 256 + byte, 0);
  };
  const offsetBytes = (iloc[4] ?? 0) >> 4;
  const lengthBytes = (iloc[4] ?? 0) & 15;
  const baseBytes = (iloc[5] ?? 0) >> 4;
  const indexBytes = version > 0 ? (iloc[5] ?? 0) & 15 : 0;
  const extentBytes = indexBytes + offsetBytes + lengthBytes;
  for (let items = take(version < 2 ? 2 : 4); items > 0 && at < iloc.length; items--) {
    const item = take(version < 2 ? 2 : 4);
    const isInMeta = version > 0 && (take(2) & 15) === 1;
    take(2);
    const base = take(baseBytes);
    // Extents without fields are all equal: the entire file, from the base on.
    const extents = Math.min(take(2), extentBytes > 0 ? Number.POSITIVE_INFINITY : 1);
    for (let left = extents; left > 0 && at + extentBytes <= iloc.length; left--) {
      take(indexBytes);
      const offset = take(offsetBytes);
      yield { item, at: base + offset, length: take(lengthBytes), isInMeta };
    }
  }
}
