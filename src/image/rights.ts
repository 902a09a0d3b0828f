import readExif from 'exif-reader';

/** The EXIF fields that say whose picture it is; all other metadata is dropped. */
export type Rights = Record<'Copyright' | 'Artist', string>;

/** Copyright and artist of an EXIF block; undefined when there are none, or none that can be read, which harms no picture. */
export function readRights(exif: Buffer | undefined): Partial<Rights> | undefined {
  if (!exif) return undefined;
  try {
    const { Copyright, Artist } = readExif(exif).Image ?? {};
    const rights = { ...(Copyright && { Copyright }), ...(Artist && { Artist }) };
    return Object.keys(rights).length > 0 ? rights : undefined;
  } catch {
    return undefined;
  }
}
