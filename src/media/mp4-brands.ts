/** Bytes that are read for the brands; longer lists are read up to here. */
const BRANDS_BYTES = 1024;

/** Brands of files that every MP4 player reads (ISO/IEC 14496-12, annex E, and 14496-14). */
const BASE = /^(iso[m2-9a-c]|mp4[12])$/;

/**
 * Derived formats that are MP4 if they say so: those of phones (3GPP) and audio. Others with a base brand are different
 * formats, such as Canon raw images.
 */
const DERIVED = /^(3g..|M4[AB] |F4[AB] )$/;

/**
 * True for files with a derived brand whose compatible brands include MP4.
 * @param head first bytes of the file, with its entire `ftyp` box (ISO/IEC 14496-12, 4.3)
 */
export function isMp4ByBrands(head: Uint8Array): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, BRANDS_BYTES)).toString('latin1');
  if (text.length < 16 || text.slice(4, 8) !== 'ftyp' || !DERIVED.test(text.slice(8, 12))) return false;
  const size = Buffer.from(head.buffer, head.byteOffset).readUInt32BE(0);
  return (text.slice(16, size).match(/.{4}/gs) ?? []).some((brand) => BASE.test(brand));
}
