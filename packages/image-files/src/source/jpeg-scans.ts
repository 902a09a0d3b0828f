/** Markers: ITU-T T.81, table B.1. */
const PROGRESSIVE_FRAME = 0xc2;
const END = 0xd9;
const SCAN = 0xda;
const FILL = 0xff;

/** Of one component: 8 x 8. */
const COEFFICIENTS = 64;
/** More than any encoder writes. */
const MOST_SCANS = 1000;

interface Segment {
  marker: number;
  /** What follows its length. */
  content: Buffer;
}

/**
 * True for a JPEG without its end that has all its scans, of which the last one may be cut: the decoder tells.
 * Of scans that are missing as a whole it does not.
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

/** The segments of a JPEG, with its end, whose content is empty. Coded pixels between them are passed over. */
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

/** Whether every coefficient of every component has come in all its bits: T.81, B.2.2, B.2.3 and G.1.1.1. */
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
