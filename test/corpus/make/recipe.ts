import type { Space } from '../spaces.ts';

/**
 * An independent way to decode a file and convert its colours, which shares no code with the service; see witness.ts.
 */
export type Witness =
  | 'avifdec'
  | 'Chromium'
  | 'djpeg'
  | 'dwebp'
  | 'ffmpeg'
  | 'formula'
  | 'heif-convert'
  | 'ImageMagick'
  | 'ImageMagick, layers'
  | 'jpeg'
  | 'Pillow'
  | 'Pillow, Little CMS';

/** Instructions to create one file of the corpus. */
export interface Recipe {
  file: string;
  /** Its row of docs/formats.md. */
  kind: string;
  /** Its distinguishing property. */
  what: string;
  /** A formula of references.ts; or `witness` if the output of the second decoder is stored as a PNG. */
  reference: string;
  make(): Buffer | Promise<Buffer>;
  /** `formula` if no other program reads it: its samples are then those of the reference, without loss. */
  witness: Witness;
  /** Colour space of the witness's output; sRGB by default. */
  space?: Space;
  /** True if the witness does not divide colours by alpha. */
  isMultiplied?: boolean;
  /** Brighter than a screen: the limit is doubled. */
  toneMapped?: true;
  /** True if the service rejects the file. */
  refused?: true;
}
