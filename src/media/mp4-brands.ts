/** Bytes that are read for the brands of a file; a longer list is read up to here. */
const BRANDS_BYTES = 1024;

/** Brands of files that every player of MP4 reads (ISO/IEC 14496-12, annex E, and 14496-14). */
const BASE = /^(iso[m2-9a-c]|mp4[12])$/;

/**
 * Brands of formats that are MP4 where they say so: those of phones (3GPP), and those of sound alone. Others that name a base brand as
 * well are something else, such as raw images of Canon.
 */
const DERIVED = /^(3g..|M4[AB] |F4[AB] )$/;

/**
 * True for files with the brand of a derived format whose compatible brands name MP4.
 * @param head the first bytes of the file, with its whole `ftyp` box (ISO/IEC 14496-12, 4.3)
 */
export function isMp4ByBrands(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, BRANDS_BYTES)).toString('latin1');
  if (text.length < 16 || text.slice(4, 8) !== 'ftyp' || !DERIVED.test(text.slice(8, 12))) return false;
  const size = Buffer.from(head.buffer, head.byteOffset).readUInt32BE(0);
  return (text.slice(16, size).match(/.{4}/gs) ?? []).some((brand) => BASE.test(brand));
}
