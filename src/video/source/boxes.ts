/** A box of ISO 14496-12, with offsets in the bytes that it was read from. */
export interface Box {
  type: string;
  /** Offsets of the first byte of the box, of its content, and after its end. */
  start: number;
  content: number;
  end: number;
}

/** More than the head of any file that this service writes. */
const MAX_BOXES = 1000;

/** Reads consecutive boxes. The last one may end after the bytes. */
export function readBoxes(bytes: Buffer, start = 0, end = bytes.length): Box[] {
  const boxes: Box[] = [];
  for (let at = start; at + 8 <= end && boxes.length < MAX_BOXES; ) {
    const size = bytes.readUInt32BE(at);
    if (size < 8) throw new RangeError(`Expected a box of at least 8 bytes, received ${size}.`);
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), start: at, content: at + 8, end: at + size });
    at += size;
  }
  return boxes;
}

/** Finds the box at the end of a path of types, the first of each. @throws RangeError if there is none */
export function findBox(bytes: Buffer, path: readonly string[], within?: Pick<Box, 'content' | 'end'>): Box {
  const [type, ...others] = path;
  const box = readBoxes(bytes, within?.content, within?.end).find((one) => one.type === type);
  if (!box || box.end > bytes.length) throw new RangeError(`Expected a box "${type}".`);
  return others.length === 0 ? box : findBox(bytes, others, box);
}
