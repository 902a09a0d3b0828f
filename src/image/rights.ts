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
export function textOf(value: string | Buffer): string {
  if (typeof value === 'string') return value;
  const utf8 = value.toString('utf8');
  return (utf8.includes('\ufffd') ? value.toString('latin1') : utf8).replace(/\0.*$/s, '');
}
