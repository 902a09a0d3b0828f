/** Both byte orders, with 32-bit and 64-bit offsets. */
const STARTS = ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'];

/** True for TIFF, and for raw camera files, which use the same container. */
export function startsTiff(head: Uint8Array): boolean {
  return STARTS.includes(Buffer.from(head.subarray(0, 4)).toString('latin1'));
}

/** Marker of Canon raw files after the container header. */
const CANON = 'CR\x02\0';
const CANON_AT = 8;

const NEW_SUBFILE_TYPE = 254;
const MAKE = 271;
const SUB_DIRECTORIES = 330;
const DNG_VERSION = 50_706;

const FIELD_BYTES = 12;

/**
 * True for raw camera files: CR2, DNG, and files by a camera whose first image is the preview of another one. Other
 * tags prove nothing: ordinary TIFF files have them too.
 * @param head first bytes of a TIFF; if its first directory follows later, it does not count as raw
 */
export function isCameraRaw(head: Uint8Array): boolean {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  if (bytes.length < 16) return false;
  const isLittle = bytes.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  if (short(2) !== 42) return false;
  const start = long(4);
  if (bytes.toString('latin1', CANON_AT, CANON_AT + CANON.length) === CANON && start > CANON_AT + CANON.length - 1) {
    return true;
  }
  if (start + 2 > bytes.length) return false;
  const tags = new Map<number, number>();
  const end = Math.min(start + 2 + short(start) * FIELD_BYTES, bytes.length - FIELD_BYTES + 1);
  for (let at = start + 2; at < end; at += FIELD_BYTES) tags.set(short(at), long(at + 8));
  const isPreview = ((tags.get(NEW_SUBFILE_TYPE) ?? 0) & 1) === 1;
  return tags.has(DNG_VERSION) || (isPreview && tags.has(MAKE) && tags.has(SUB_DIRECTORIES));
}
