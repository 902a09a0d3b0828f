/** Markers: ITU-T T.81, table B.1. */
const PROGRESSIVE_FRAME = 0xc2;
const END = 0xd9;
const SCAN = 0xda;
const FILL = 0xff;

/** Coefficients of one block: 8 x 8. */
const COEFFICIENTS = 64;
/** More than any encoder writes. */
const MOST_SCANS = 1000;

interface Segment {
  marker: number;
  /** Content after its length. */
  content: Buffer;
}

/**
 * True for a JPEG that only lacks its end marker and has all scans; the last one may be truncated, which the decoder
 * reports. It does not report missing scans.
 */
export function lacksEndAlone(jpeg: Buffer): boolean {
  let frame: Segment | undefined;
  const scans: Buffer[] = [];
  for (const segment of segments(jpeg)) {
    if (segment.marker === END || scans.length > MOST_SCANS) return false;
    if (segment.marker === PROGRESSIVE_FRAME) frame = segment;
    if (segment.marker === SCAN) scans.push(segment.content);
  }
  return scans.length > 0 && (!frame || areAllExact(frame.content, scans));
}

/** Yields the segments of a JPEG, with its end, whose content is empty. Skips coded pixels. */
function* segments(jpeg: Buffer): Generator<Segment> {
  let at = jpeg.indexOf(0xff, 2);
  while (at >= 0 && at + 1 < jpeg.length) {
    const marker = jpeg[at + 1] as number;
    const isAlone = marker === 0 || (marker >= 0xd0 && marker <= END);
    if (marker === END) yield { marker, content: Buffer.alloc(0) };
    let bytes = marker === FILL ? 1 : 2;
    if (!isAlone && marker !== FILL) {
      if (at + 4 > jpeg.length) return;
      bytes += jpeg.readUInt16BE(at + 2);
      yield { marker, content: jpeg.subarray(at + 4, at + bytes) };
    }
    at = jpeg.indexOf(0xff, at + bytes);
  }
}

/** True if every coefficient of every component has all its bits: T.81, B.2.2, B.2.3 and G.1.1.1. */
function areAllExact(frame: Buffer, scans: readonly Buffer[]): boolean {
  const exact = new Map<number, Set<number>>();
  for (let at = 6; at + 3 <= frame.length; at += 3) exact.set(frame[at] as number, new Set());
  for (const scan of scans) {
    const count = scan[0] ?? 0;
    const [first = 0, last = 0, bits = 0] = scan.subarray(1 + 2 * count);
    if ((bits & 0x0f) !== 0) continue;
    for (let index = 0; index < count; index++) {
      const own = exact.get(scan[1 + 2 * index] ?? -1);
      for (let number = first; number <= Math.min(last, COEFFICIENTS - 1); number++) own?.add(number);
    }
  }
  return [...exact.values()].every((own) => own.size === COEFFICIENTS);
}
