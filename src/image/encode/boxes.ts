/** A box of the ISO base media file format (ISO/IEC 14496-12, 4.2), by its offsets. */
export interface Box {
  type: string;
  /** Of its length, eight bytes before its content. */
  start: number;
  end: number;
}

/** The boxes of a part of a file, as far as they are well-formed; the last one may reach beyond the part. */
export function boxesIn(file: Buffer, start = 0, end = file.length): Box[] {
  const boxes: Box[] = [];
  for (let at = start; at + 8 <= end; ) {
    const length = file.readUInt32BE(at);
    if (length < 8) break;
    boxes.push({ type: file.toString('latin1', at + 4, at + 8), start: at, end: at + length });
    at += length;
  }
  return boxes;
}
