import readExif from 'exif-reader';

/** The EXIF fields that say whose picture it is; all other metadata is dropped. */
export type Rights = Record<'Copyright' | 'Artist', string>;

/** Copyright and artist of an EXIF block; undefined when there are none or the block cannot be read. */
export function readRights(exif: Buffer | undefined): Partial<Rights> | undefined {
  if (!exif) return undefined;
  try {
    const { Copyright, Artist } = readExif(exif).Image ?? {};
    const rights = { ...(Copyright && { Copyright: textOf(Copyright) }), ...(Artist && { Artist: textOf(Artist) }) };
    return Object.keys(rights).length > 0 ? rights : undefined;
  } catch {
    return undefined;
  }
}

/** EXIF text should be ASCII. For other text the reader returns its bytes: cameras write Latin-1 (`©`), programs UTF-8. */
function textOf(value: string | Buffer): string {
  if (typeof value === 'string') return value;
  const utf8 = value.toString('utf8');
  return (utf8.includes('\ufffd') ? value.toString('latin1') : utf8).replace(/\0.*$/s, '');
}

/** In the order that EXIF wants. */
const TAGS = [
  ['Artist', 0x013b],
  ['Copyright', 0x8298],
] as const;
const ASCII = 2;

/** An EXIF block of nothing but the rights: a TIFF header and one directory. Source: TIFF 6.0, section 2. */
export function writeRights(rights: Partial<Rights>): Buffer {
  const entries = TAGS.flatMap(([name, tag]) =>
    rights[name] ? [{ tag, text: Buffer.from(`${rights[name]}\0`) }] : [],
  );
  const directory = Buffer.alloc(8 + 2 + entries.length * 12 + 4);
  directory.write('II*\0\x08\0\0\0', 'latin1');
  directory.writeUInt16LE(entries.length, 8);
  const texts: Buffer[] = [];
  let offset = directory.length;
  for (const [index, { tag, text }] of entries.entries()) {
    const at = 10 + index * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(ASCII, at + 2);
    directory.writeUInt32LE(text.length, at + 4);
    // Four bytes or fewer stand in the directory itself; an offset is even.
    if (text.length <= 4) text.copy(directory, at + 8);
    else {
      directory.writeUInt32LE(offset, at + 8);
      const padded = Buffer.concat([text, Buffer.alloc(text.length % 2)]);
      texts.push(padded);
      offset += padded.length;
    }
  }
  return Buffer.concat([directory, ...texts]);
}
