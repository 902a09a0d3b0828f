import { type Box, boxes, hasShortSize, makeBox } from '@darkroom/image-files/boxes';
import type { Edit } from './file-edit.ts';

/** Of the item locations: version 0, with 4 bytes for each number, and no index. */
const LOCATIONS = Buffer.from([0, 0, 0, 0, 0x44, 0x40]);
const LOCATION_BYTES = 10;
const EXTENT_BYTES = 8;
/** The data begins right after this number. */
const EXIF_OFFSET = Buffer.alloc(4);

/** The boxes that name the items of a picture. */
interface Items {
  meta: Box;
  /** Where they are in the file. */
  iloc: Box;
  /** What they are. */
  iinf: Box;
  /** What they have to do with each other. */
  iref: Box | undefined;
  /** Which one is the picture. */
  primary: Buffer;
}

/**
 * Adds a block of EXIF data as an item that describes the picture, in a box of its own at the end of the file. None when the file is
 * laid out otherwise than our encoder does it. Source: ISO/IEC 23008-12, A.2.1, and 14496-12, 8.11.
 */
export function avifEdits(head: Buffer, size: number, block: Buffer): Edit[] {
  const items = itemsOf(head);
  if (!items) return [];
  const { meta, iloc, iinf, iref } = items;
  const entries = entriesOf(head, iloc);
  const id = Math.max(...entries.map((at) => head.readUInt16BE(at))) + 1;
  const item = [id >> 8, id & 0xff];
  const info = makeBox('infe', Buffer.from([2, 0, 0, 1, ...item, 0, 0, ...Buffer.from('Exif'), 0]));
  const link = makeBox('cdsc', Buffer.from([...item, 0, 1, ...items.primary]));
  const links = iref ? link : makeBox('iref', Buffer.alloc(4), link);
  const growth = LOCATION_BYTES + EXTENT_BYTES + info.length + links.length;

  const data = makeBox('mdat', EXIF_OFFSET, block);
  const location = Buffer.alloc(LOCATION_BYTES + EXTENT_BYTES);
  location.writeUInt16BE(id);
  location.writeUInt32BE(size + growth + 8, 4);
  location.writeUInt16BE(1, 8);
  location.writeUInt32BE(data.length - 8, 14);

  const locations = longer(head, iloc, location);
  locations.writeUInt16BE(entries.length + 1, 14);
  // What follows moves, and with it every place in the file.
  for (const at of entries) locations.writeUInt32BE(head.readUInt32BE(at + 4) + growth, at - iloc.start + 4);
  const infos = longer(head, iinf, info);
  infos.writeUInt16BE(head.readUInt16BE(iinf.start + 12) + 1, 12);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(meta.end - meta.start + growth);
  const edits = [
    { at: meta.start, cut: 4, bytes: length },
    replaced(iloc, locations),
    replaced(iinf, infos),
    iref ? replaced(iref, longer(head, iref, links)) : { at: meta.end, cut: 0, bytes: links },
    { at: size, cut: 0, bytes: data },
  ];
  return edits.toSorted((a, b) => a.at - b.at);
}

function itemsOf(head: Buffer): Items | undefined {
  const meta = boxes(head).find(({ type }) => type === 'meta');
  if (!meta || !hasShortSize(head, meta)) return undefined;
  const inner = boxes(head.subarray(0, meta.end), meta.start + 12).toArray();
  if (inner.at(-1)?.end !== meta.end || !inner.every((box) => hasShortSize(head, box))) return undefined;
  const [iloc, iinf, pitm, iref] = ['iloc', 'iinf', 'pitm', 'iref'].map((name) =>
    inner.find(({ type }) => type === name),
  );
  if (!iloc || !iinf || !pitm) return undefined;
  const isKnown = LOCATIONS.equals(head.subarray(iloc.start + 8, iloc.start + 14)) && head[iinf.start + 8] === 0;
  if (!isKnown || (iref && head[iref.start + 8] !== 0)) return undefined;
  return { meta, iloc, iinf, iref, primary: head.subarray(pitm.start + 12, pitm.start + 14) };
}

/** The offset of each location. */
function entriesOf(head: Buffer, iloc: Box): number[] {
  const entries: number[] = [];
  let at = iloc.start + 16;
  for (let left = head.readUInt16BE(iloc.start + 14); left > 0; left--) {
    entries.push(at);
    at += LOCATION_BYTES + EXTENT_BYTES * head.readUInt16BE(at + 8);
  }
  return entries;
}

/** A box with more at its end. */
function longer(head: Buffer, { start, end }: Box, more: Buffer): Buffer {
  const whole = Buffer.concat([head.subarray(start, end), more]);
  whole.writeUInt32BE(whole.length);
  return whole;
}

function replaced({ start, end }: Box, bytes: Buffer): Edit {
  return { at: start, cut: end - start, bytes };
}
