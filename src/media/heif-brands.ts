/** Codec of a HEIF file. */
export type HeifCoding = 'hevc' | 'av1';

/** Bytes that are read for the brands; longer lists are read up to here. */
export const BRANDS_BYTES = 1024;

/** Sources: ISO/IEC 23008-12, annex B; AV1 Image File Format 1.1, section 8. */
const CODINGS: ReadonlyMap<string, HeifCoding> = new Map([
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'].map((brand) => [brand, 'hevc'] as const),
  ...['avif', 'avis', 'avio', 'MA1A', 'MA1B'].map((brand) => [brand, 'av1'] as const),
]);

/** Brands of images and sequences in any codec. HEVC unless another brand says otherwise. */
const STRUCTURES = ['mif1', 'mif2', 'msf1', 'miaf'];

/**
 * Returns the codec of a HEIF file by its major brand, or else by the first compatible brand that names one; undefined
 * for other files.
 * @param head first bytes of the file, with its entire `ftyp` box (ISO/IEC 14496-12, 4.3) for the compatible brands
 */
export function heifCodingOf(head: Uint8Array): HeifCoding | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, BRANDS_BYTES)).toString('latin1');
  if (text.length < 12 || text.slice(4, 8) !== 'ftyp') return undefined;
  const major = text.slice(8, 12);
  if (!STRUCTURES.includes(major)) return CODINGS.get(major);
  const size = new DataView(head.buffer, head.byteOffset).getUint32(0);
  const compatible = text.slice(16, size).match(/.{4}/gs) ?? [];
  return compatible.flatMap((brand) => CODINGS.get(brand) ?? [])[0] ?? 'hevc';
}
