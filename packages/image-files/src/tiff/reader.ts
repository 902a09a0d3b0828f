import { UndecodableImage } from '../undecodable-image.ts';
import { CODINGS } from './chunks.ts';
import type { TiffLayout } from './layout.ts';

/** Values of PhotometricInterpretation. */
export const PHOTOMETRIC = {
  whiteIsZero: 0,
  blackIsZero: 1,
  rgb: 2,
  palette: 3,
  cmyk: 5,
  yCbCr: 6,
  cieLab: 8,
  iccLab: 9,
};

/** Codings that libtiff was built without, or that need their own programs. */
const UNREAD_CODINGS: Readonly<Record<number, string>> = {
  9: 'JBIG',
  10: 'JBIG',
  22610: 'JPEG XR',
  33003: 'JPEG 2000',
  33004: 'JPEG 2000',
  33005: 'JPEG 2000',
  34661: 'JBIG',
  34712: 'JPEG 2000',
  34887: 'LERC',
  34925: 'LZMA',
  34934: 'JPEG XR',
  50000: 'Zstandard',
  50001: 'WebP',
  50002: 'JPEG XL',
  52546: 'JPEG XL',
};

const OLD_JPEG = 6;

/** Values of SampleFormat. */
const SIGNED = 2;
const FLOATING = 3;
const COMPLEX = [5, 6];

/** Depths that libvips unpacks. */
const PLAIN_BITS = [1, 2, 4, 8, 16, 32];
/** Of channels that differ, which libtiff rejects. */
const UNEVEN_BITS = 0;
const MAX_BITS = 16;

/**
 * Decides who reads a page: libvips if it does so correctly, otherwise the decoder of this folder.
 * @param hasProfile true if the page has an ICC profile
 * @throws UndecodableImage for pages that would be shown wrong
 */
export function readerOf(layout: TiffLayout, hasProfile: boolean): 'libvips' | 'own' {
  const { bits, compression, isPlanar, isTiled, photometric } = layout;
  const coding = UNREAD_CODINGS[compression];
  if (coding)
    throw new UndecodableImage(`The TIFF is coded as ${coding} (Compression ${compression}), which is not read.`);
  const isLab = photometric === PHOTOMETRIC.cieLab || photometric === PHOTOMETRIC.iccLab;
  if (!isLab) checkFormat(layout, hasProfile);
  if (isTiled && compression === OLD_JPEG) {
    throw new UndecodableImage('The TIFF has tiles of old JPEG (Compression 6); expected strips.');
  }
  if (isPlanar && photometric === PHOTOMETRIC.yCbCr) {
    throw new UndecodableImage('The TIFF has YCbCr in planes (PlanarConfiguration 2); expected interleaved samples.');
  }
  if (bits === UNEVEN_BITS) return 'libvips';
  const isSplit = isPlanar && layout.channels > 1 && (isTiled || bits < 8);
  if (!isLab && !isSplit && PLAIN_BITS.includes(bits)) return 'libvips';
  checkOwn(layout, isLab);
  return 'own';
}

function checkFormat({ sampleFormat, bits }: TiffLayout, hasProfile: boolean): void {
  if (sampleFormat === SIGNED) {
    throw new UndecodableImage('The TIFF has signed samples (SampleFormat 2); expected unsigned ones (1).');
  }
  if (COMPLEX.includes(sampleFormat)) {
    throw new UndecodableImage(
      `The TIFF has complex samples (SampleFormat ${sampleFormat}); expected unsigned ones (1).`,
    );
  }
  if (sampleFormat === FLOATING && (bits < 32 || hasProfile)) {
    const what = bits < 32 ? `of ${bits} bits` : 'with an ICC profile';
    throw new UndecodableImage(
      `The TIFF has floating-point samples (SampleFormat 3) ${what}; expected unsigned ones (1), or RGB of 32 bits without a profile.`,
    );
  }
}

function checkOwn({ bits, compression, predictor, photometric, channels }: TiffLayout, isLab: boolean): void {
  if (bits > MAX_BITS) {
    throw new UndecodableImage(`The TIFF has samples of ${bits} bits; expected ${MAX_BITS} at most.`);
  }
  if (isLab && bits !== 8 && bits !== 16) {
    throw new UndecodableImage(`The TIFF has Lab colours of ${bits} bits; expected 8 or 16.`);
  }
  const what = isLab ? 'Lab colours' : `samples of ${bits} bits in ${channels} channels`;
  if (!CODINGS.includes(compression)) {
    throw new UndecodableImage(
      `The TIFF has ${what} and Compression ${compression}; expected none, LZW, Deflate or PackBits for these.`,
    );
  }
  if (photometric === PHOTOMETRIC.yCbCr || !Object.values(PHOTOMETRIC).includes(photometric)) {
    throw new UndecodableImage(`The TIFF has ${what} and PhotometricInterpretation ${photometric}, which is not read.`);
  }
  if (predictor > 2 || (predictor === 2 && bits !== 8 && bits !== 16)) {
    throw new UndecodableImage(`The TIFF has ${what} and Predictor ${predictor}, which is not read.`);
  }
}
