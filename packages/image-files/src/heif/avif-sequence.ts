import { stat } from 'node:fs/promises';
import { findBox, type ReadBytes, readFrom, topBox } from '../boxes.ts';
import { mainItem } from '../colour/item-colour.ts';
import { extentsOf } from '../colour/item-location.ts';

/** Brands of a sequence, and of a still image. */
const STILL_BRANDS: Readonly<Record<string, string>> = { avis: 'avif', msf1: 'mif1' };

/**
 * Makes an AVIF of the main image of a sequence: libvips rejects files with the major brand `avis`, and needs tracks
 * with a sequence brand. It is shown where nothing moves, usually the first frame. Undefined for a sequence of tracks
 * only. Source: AV1 Image File Format 1.1, 3 and 6.3.
 */
export function stillOf(file: string): Promise<Buffer | undefined> {
  return readFrom(file, async (read) => stillFrom(read, (await stat(file)).size));
}

async function stillFrom(read: ReadBytes, size: number): Promise<Buffer | undefined> {
  const box = await topBox(read, 'meta');
  const meta = box?.data.subarray(4);
  const iloc = meta && findBox(meta, 'iloc');
  if (!box || !iloc || mainItem(meta) === undefined) return undefined;
  const extents = extentsOf(iloc).filter(({ isInMeta }) => !isInMeta);
  const end = extents.reduce((last, { at, length }) => Math.max(last, length ? at + length : size), box.end);
  const still = await read(0, Math.min(end, size));
  // Brands: the major one at 8, the compatible ones from 16 to the end of the first box.
  for (let at = 8; at + 4 <= Math.min(still.readUInt32BE(0), box.start); at += 4) {
    const brand = still.toString('latin1', at, at + 4);
    still.write(at === 8 ? 'avif' : (STILL_BRANDS[brand] ?? brand), at, 'latin1');
  }
  // Everything after the metadata becomes one box, without tracks and frames that no item needs, so that offsets stay.
  if (still.length >= box.end + 8) {
    still.writeUInt32BE(still.length - box.end, box.end);
    still.write('mdat', box.end + 4, 'latin1');
  }
  return still;
}
