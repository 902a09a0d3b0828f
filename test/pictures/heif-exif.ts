import { type Box, boxes, makeBox } from '@darkroom/image-files/boxes';

const LOCATION_BYTES = 10;
const EXTENT_BYTES = 8;

/**
 * Adds an EXIF block to a HEIC or AVIF file as an item that describes its image, in a separate box at the end of the
 * file. Item locations must be of version 0 with 4-byte numbers, as libheif writes them. Source: ISO/IEC 23008-12,
 * A.2.1, and 14496-12, 8.11.
 */
export function withExifItem(file: Buffer, block: Buffer): Buffer {
  const meta = boxes(file).find(({ type }) => type === 'meta') as Box;
  const inner = boxes(file.subarray(0, meta.end), meta.start + 12).toArray();
  const bytesOf = ({ start, end }: Box) => Buffer.from(file.subarray(start, end));
  const named = (type: string) => inner.find((box) => box.type === type) as Box;
  const primary = file.subarray(named('pitm').start + 12, named('pitm').start + 14);
  const locations = bytesOf(named('iloc'));
  const entries = locationsOf(locations);
  const id = Math.max(...entries.map((at) => locations.readUInt16BE(at))) + 1;
  const item = Buffer.from([id >> 8, id & 255]);

  const info = makeBox('infe', Buffer.from([2, 0, 0, 1]), item, Buffer.from('\0\0Exif\0'));
  const link = makeBox('cdsc', item, Buffer.from([0, 1]), primary);
  const hasLinks = inner.some(({ type }) => type === 'iref');
  const links = hasLinks ? link : makeBox('iref', Buffer.alloc(4), link);
  const data = makeBox('mdat', Buffer.alloc(4), block);
  const growth = info.length + LOCATION_BYTES + EXTENT_BYTES + links.length;

  for (const at of entries) locations.writeUInt32BE(locations.readUInt32BE(at + 4) + growth, at + 4);
  const location = Buffer.alloc(LOCATION_BYTES + EXTENT_BYTES);
  item.copy(location);
  location.writeUInt32BE(file.length + growth + 8, 4);
  location.writeUInt16BE(1, 8);
  location.writeUInt32BE(data.length - 8, 14);
  locations.writeUInt16BE(entries.length + 1, 14);
  const infos = bytesOf(named('iinf'));
  infos.writeUInt16BE(infos.readUInt16BE(12) + 1, 12);

  const grown: Readonly<Record<string, Buffer>> = {
    iloc: longer(locations, location),
    iinf: longer(infos, info),
    ...(hasLinks && { iref: longer(bytesOf(named('iref')), link) }),
  };
  const content = inner.map((box) => grown[box.type] ?? bytesOf(box));
  if (!hasLinks) content.push(links);
  const fields = file.subarray(meta.start + 8, meta.start + 12);
  return Buffer.concat([
    file.subarray(0, meta.start),
    makeBox('meta', fields, ...content),
    file.subarray(meta.end),
    data,
  ]);
}

/** Returns the offset of each item location in its box. */
function locationsOf(iloc: Buffer): number[] {
  const entries: number[] = [];
  let at = 16;
  for (let left = iloc.readUInt16BE(14); left > 0; left--) {
    entries.push(at);
    at += LOCATION_BYTES + EXTENT_BYTES * iloc.readUInt16BE(at + 8);
  }
  return entries;
}

function longer(box: Buffer, more: Buffer): Buffer {
  const whole = Buffer.concat([box, more]);
  whole.writeUInt32BE(whole.length);
  return whole;
}
