import { type Box, boxes, makeBox } from '../boxes.ts';

/**
 * Returns an AVIF or HEIC with another box in its metadata. The new metadata are appended, and the old ones become free
 * space, so that offsets stay. Undefined for a truncated file, which no box can follow.
 * @param old metadata of the file
 */
export function withMeta(heif: Buffer, old: Box, type: string, data: Buffer): Buffer | undefined {
  let last: Box | undefined;
  for (const box of boxes(heif)) last = box;
  if (last?.end !== heif.length) return undefined;
  // A field of four bytes precedes the boxes.
  const content = [...boxes(old.data.subarray(4))].map((box) => makeBox(box.type, box.type === type ? data : box.data));
  const file = Buffer.concat([heif, makeBox('meta', old.data.subarray(0, 4), ...content)]);
  file.write('free', old.start + 4, 'latin1');
  // Size 0 means that the box ends with the file, which is longer now.
  if (file.readUInt32BE(last.start) === 0) file.writeUInt32BE(last.end - last.start, last.start);
  return file;
}
