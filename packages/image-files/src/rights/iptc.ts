/** Photoshop image resource with IPTC data. */
const IPTC_RESOURCE = 0x0404;
const RESOURCE = '8BIM';
const PREFIX = 0x1c;
const APPLICATION_RECORD = 2;
const BY_LINE = 80;
const COPYRIGHT_NOTICE = 116;
/** A file has a few dozen. */
const MOST_FIELDS = 1000;

export interface IptcRights {
  copyright: Buffer | undefined;
  /** One per creator. */
  creators: Buffer[];
}

/**
 * Reads the rights in IPTC data, raw or among the image resources of Photoshop. Source: IPTC-NAA Information
 * Interchange Model 4.2, 1.5 and 2.2; Adobe Photoshop File Formats, image resource blocks.
 */
export function readIptc(block: Buffer): IptcRights {
  const data = resourceOf(block) ?? block;
  let copyright: Buffer | undefined;
  const creators: Buffer[] = [];
  for (const { field, value } of fieldsOf(data)) {
    if (field === COPYRIGHT_NOTICE) copyright ??= value;
    if (field === BY_LINE) creators.push(value);
  }
  return { copyright, creators };
}

function resourceOf(block: Buffer): Buffer | undefined {
  for (let at = block.indexOf(RESOURCE); at >= 0 && at + 12 <= block.length; ) {
    if (block.toString('latin1', at, at + 4) !== RESOURCE) return undefined;
    const name = 1 + (block[at + 6] ?? 0);
    const size = at + 6 + name + (name % 2);
    if (size + 4 > block.length) return undefined;
    const length = block.readUInt32BE(size);
    if (block.readUInt16BE(at + 4) === IPTC_RESOURCE) return block.subarray(size + 4, size + 4 + length);
    at = size + 4 + length + (length % 2);
  }
  return undefined;
}

/** Yields the fields of the application record. */
function* fieldsOf(data: Buffer): Generator<{ field: number; value: Buffer }> {
  let at = 0;
  for (let count = 0; count < MOST_FIELDS && at + 5 <= data.length && data[at] === PREFIX; count++) {
    const length = data.readUInt16BE(at + 3);
    // Longer values state the bytes of their length. Neither of these fields can be that long.
    if (length > 0x7fff) return;
    const value = data.subarray(at + 5, at + 5 + length);
    if (data[at + 1] === APPLICATION_RECORD) yield { field: data[at + 2] as number, value };
    at += 5 + length;
  }
}
