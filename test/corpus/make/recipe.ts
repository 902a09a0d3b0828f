import type { Space } from '../spaces.ts';

/** A way to decode a file and to see its colours that shares nothing with the service; see witness.ts. */
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

/** How one file of the corpus is made. */
export interface Recipe {
  file: string;
  /** The row of docs/formats.md that it belongs to. */
  kind: string;
  /** What is special about it. */
  what: string;
  /** A formula of references.ts; or `witness`, when what the second decoder shows is kept as a PNG. */
  reference: string;
  make(): Buffer | Promise<Buffer>;
  /** `formula` where no other program reads it: its samples are then those of the reference, without loss. */
  witness: Witness;
  /** In which space the numbers are that the witness gives; sRGB otherwise. */
  space?: Space;
  /** The witness does not divide colours by alpha. */
  isMultiplied?: boolean;
  /** Brighter than a screen: the limit is twice as high. */
  toneMapped?: true;
  /** The file is refused. */
  refused?: true;
}
