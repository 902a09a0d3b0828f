import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXTRA_MEDIA_TYPES, MEDIA_TYPES, type MediaType } from '../src/media.ts';
import { corpus } from '../test/corpus/index.ts';

// Writes docs/formats.md from the table of file types, the index of the corpus and the texts below.

const PAGE = join(import.meta.dirname, '..', 'docs', 'formats.md');

interface Format {
  /** Its name in the corpus. */
  kind: string;
  mimes: readonly string[];
  /** Supported features, and their rendering. */
  shown: string;
  /** Unsupported features. */
  not: string;
}

const FORMATS: readonly Format[] = [
  {
    kind: 'JPEG',
    mimes: ['image/jpeg'],
    shown:
      'Baseline, extended, progressive, arithmetic and lossless coding of 8 bits, with any sampling and with restart markers; grey, YCbCr, RGB, CMYK, YCCK. CMYK without a profile uses the profile of a printing press. Of several images (MPO, gain maps) the first is shown. A file whose end is missing is shown too.',
    not: '12 and 16 bits, lossless coding of YCbCr, hierarchical coding, JPEG-LS: refused. Gain maps are not applied.',
  },
  {
    kind: 'PNG',
    mimes: ['image/png'],
    shown:
      'All types and depths, interlaced or not, with alpha or a transparent colour. Colours by `cICP`, else `iCCP`, else `sRGB`, else `gAMA` and `cHRM`. Of an APNG, the default image.',
    not: 'The animation of an APNG.',
  },
  {
    kind: 'WebP',
    mimes: ['image/webp'],
    shown:
      'Lossy and lossless, with alpha. Hidden colours are not mixed into a smaller result, and alpha is applied even if the headers do not announce it or deny it. Of an animation the first frame, at its position on the canvas.',
    not: 'The animation, unless [`an_true`](animation.md) requests it.',
  },
  {
    kind: 'AVIF',
    mimes: ['image/avif'],
    shown:
      '8, 10 and 12 bits, 4:0:0 to 4:4:4, full and limited range (colours and alpha; a `colr` box overrules the stream), any matrix; grids; layers, of which the best one is shown; straight and premultiplied alpha. Colours by ICC profile, else by code points (`nclx`, or those of the stream). Rotated, mirrored and cropped by `irot`, `imir` and `clap` of the image, which apply to its alpha too; an EXIF orientation is ignored. Of several images the primary one, of a sequence the main image.',
    not: 'The sequence; one of tracks alone, without a main image, is refused. Gain maps and depth maps.',
  },
  {
    kind: 'HEIC',
    mimes: ['image/heic', 'image/heif'],
    shown:
      'As AVIF, coded as HEVC. An upload is stored as a JPEG (quality 92, 4:4:4): upright, with the profile of the file, HDR tone-mapped to sRGB, transparency on white.',
    not: 'Sequences, gain maps, depth maps and thumbnails.',
  },
  {
    kind: 'GIF',
    mimes: ['image/gif'],
    shown:
      'The first frame, at its position on the canvas. Areas without a frame, or with a cleared one, are transparent, even without a transparent colour. The background colour is ignored. The canvas is at least as large as the first frame. Image, animation and [video](animation.md) show the same.',
    not: 'The animation, unless [`an_true`](animation.md) requests it. Around a frame that uses all 256 colours, or has more than 4 MB, and leaves some of the canvas uncovered, the canvas is black.',
  },
  {
    kind: 'PSD',
    mimes: ['image/vnd.adobe.photoshop'],
    shown:
      'PSD and PSB: bitmap, grey, duotone (as grey), indexed, RGB, CMYK and Lab of 1 to 32 bits; raw, RLE and ZIP. The merged image with its transparency, or the layers if there is none. CMYK as in JPEG.',
    not: 'Multichannel mode and spot channels. Without a merged image: Lab layers, dissolve, layers that only Photoshop can draw (adjustments, effects).',
  },
];

/** Formats of `EXTRA_TYPES`. */
const DOCUMENTS: readonly Format[] = [
  {
    kind: 'SVG',
    mimes: ['image/svg+xml'],
    shown:
      'As drawn by librsvg with the fonts of the service, at the requested size and therefore sharp. `c_fit` fills its box: drawing at a larger size does not count as enlarging. Without a size, a CSS pixel is a pixel of the image: an inch has 96 pixels, also for sizes in mm, cm, pt or pc, and the default font size is 16 pixels. Elements may have a prefix (`<svg:svg>`). Drawing is limited to `MAX_INPUT_MEGAPIXELS` and to `DOCUMENT_TIMEOUT_MS`: a file that takes longer is 422 for ten minutes. The original is delivered unchanged, with a policy under which browsers neither execute nor load anything in it.',
    not: 'External references of any kind: nothing is read, fetched or painted for them. Scripts, embedded pages, animations. Refused: files that declare entities, exceed 10 MB, are compressed or use UTF-16.',
  },
  {
    kind: 'PDF',
    mimes: ['application/pdf'],
    shown:
      'A page as drawn by PDFium, with annotations and filled-in fields, on white, with the rotation of the page, at the requested size; `pg` selects the page. Small results are drawn larger and scaled down, so that thin lines stay thin, as far as a quarter of `DOCUMENT_TIMEOUT_MS` allows. Without a size, a point (1/72 inch) is a pixel. `c_fit` fills its box: drawing at a larger size does not count as enlarging. Drawing is limited to `MAX_INPUT_MEGAPIXELS` and to `DOCUMENT_TIMEOUT_MS`: a page that takes longer is 422 for ten minutes, and after two such pages so is the whole file.',
    not: 'Damaged files, and encrypted files that need a password: 422. Scripts, links and external files: nothing is executed or fetched. Fonts that are not embedded are replaced by those of PDFium, which lack Chinese, Japanese and Korean.',
  },
  {
    kind: 'TIFF',
    mimes: ['image/tiff'],
    shown:
      'Grey, palette, RGB, CMYK and Lab (CIE and ICC) of 1 to 16 bits, with alpha, in strips or tiles, interleaved or in planes; RGB of 32-bit floats without a profile, as linear light. Uncompressed, PackBits, LZW, Deflate, JPEG, old JPEG in strips, CCITT (RLE, Group 3 and 4), ThunderScan, PixarLog and SGI Log; types that libvips does not read (Lab, 3, 5 to 7 and 9 to 15 bits, planes in tiles) only uncompressed or with PackBits, LZW or Deflate. Turned upright by its orientation; `pg` selects the page. `MAX_INPUT_MEGAPIXELS` applies to one page.',
    not: 'Refused, with a message that names the tag: JBIG, JPEG 2000, JPEG XL, JPEG XR, LERC, LZMA, WebP and Zstandard coding; signed and complex samples, half floats and floats with a profile (SampleFormat); integers of 32 bits, grey floats; YCbCr in planes; old JPEG in tiles; more than 5 channels. Raw files of cameras, which are TIFF files too, are not accepted: CR2, DNG, and files whose first image is a camera preview (`NewSubfileType` 1 with `Make` and `SubIFDs`).',
  },
];

/** Returns the whole page. */
export function formatsPage(): string {
  return `${INTRODUCTION}
${tableOf(FORMATS)}
${DOCUMENTS_ON}
${tableOf(DOCUMENTS)}
${RULES}
${UPLOADS}
${uploadTable()}

## Test corpus

The files of [the corpus](../test/corpus/README.md), by the feature that each covers. "Refused" files have to fail.

${[...FORMATS, ...DOCUMENTS].filter(isInCorpus).map(corpusOf).join('\n')}`;
}

function tableOf(formats: readonly Format[]): string {
  const rows = formats.map((format) => `| ${[format.kind, filesOf(format), format.shown, format.not].join(' | ')} |`);
  return `| format | files | supported | not supported |
|---|---|---|---|
${rows.join('\n')}
`;
}

/** Returns the table of uploads: accepted extensions, and the types that clients may declare. */
function uploadTable(): string {
  const types = [...MEDIA_TYPES, ...Object.values(EXTRA_MEDIA_TYPES)].filter(({ uploadable }) => uploadable);
  const rows = types.map(({ mime, extensions, declarations }) => {
    const names = extensions.map((name) => `\`.${name}\``).join(' ');
    const declared = declarations.filter((type) => !type.includes(';')).map((type) => `\`${type}\``);
    return `| ${names} | ${mime} | ${declared.join(', ')} |`;
  });
  return `| extensions | type | declared as |
|---|---|---|
${rows.join('\n')}`;
}

/** Returns the image types missing from the page, which is a mistake in it. */
export function undescribed(): string[] {
  const known = [...FORMATS, ...DOCUMENTS].flatMap(({ mimes }) => mimes);
  return imageTypes()
    .map(({ mime }) => mime)
    .filter((mime) => !known.includes(mime));
}

const imageTypes = (): MediaType[] =>
  [...MEDIA_TYPES, ...Object.values(EXTRA_MEDIA_TYPES)].filter(({ kind }) => kind === 'image');

function filesOf({ mimes }: Format): string {
  const types = imageTypes().filter(({ mime }) => mimes.includes(mime));
  return types
    .map(({ mime, extensions }) => `${extensions.map((name) => `\`.${name}\``).join(' ')} (${mime})`)
    .join('; ');
}

const isInCorpus = ({ kind }: Format) => corpus.some((file) => file.kind === kind);

function corpusOf({ kind }: Format): string {
  const files = corpus.filter((file) => file.kind === kind);
  const read = files.filter((file) => !file.refused);
  const refused = files.filter((file) => file.refused);
  const list = (some: typeof files) => some.map(({ what }) => what).join('; ');
  const end = refused.length > 0 ? ` Refused: ${list(refused)}.` : '';
  return `**${kind}**, ${files.length} files: ${list(read)}.${end}\n`;
}

const INTRODUCTION = `# Image formats

<!-- Written by \`npm run docs\` from scripts/formats.ts, src/media.ts and test/corpus/index.json. -->

Supported input formats, the features that are rendered, and those that are not. Outputs are AVIF, WebP, JPEG, PNG and GIF of 8 bits. A file that cannot be rendered is 400 or, at delivery, the original itself with \`X-Transform-Fallback\`. [Uploads](#uploads) are checked for matching extension and content.

Every entry is tested with small files, rendered at full size and at 200 pixels in PNG, JPEG, WebP and AVIF. The mean CIEDE2000 to the result of a second decoder or a formula is at most 1, or 2 for HDR.
`;

const DOCUMENTS_ON = `## Documents

Off by default. With \`EXTRA_TYPES=svg,pdf,tiff\`, files of these types are uploaded, delivered and transformed like images, have thumbnails in the dashboard and facts in the catalog, and can be layers. Their decoders open for one image at a time, in a process that can be ended. A file that cannot be rendered is 422 with the reason. After the setting is removed, stored files stay: PDFs are delivered unchanged, the others as bytes that no browser interprets.
`;

const RULES = `## Rules for all formats

- **Upright.** JPEG, PNG and WebP are turned upright by their EXIF orientation, if it is a 16-bit number, as in browsers. AVIF and HEIC use their own properties.
- **In sRGB.** ICC profiles of version 2 and 4 (grey, RGB, CMYK) are applied with the perceptual intent, so that the darkest black of a printing press is black. Images without a profile or other colour information are sRGB. Colours outside sRGB are clipped. A profile for another kind of pixels, such as Lab in an RGB file, is ignored.
- **Code points** (ITU-T H.273): the primaries and transfers of BT.709, BT.601, BT.2020, P3, sRGB, SMPTE 240M, gamma 2.2, 2.6 and 2.8, and linear light. The transfers of television describe cameras; images with them are shown as sRGB, as in browsers.
- **HDR** (PQ, HLG): graphics white, 203 cd/m2, is the white of the result. Luminance up to 1000 cd/m2 is compressed into it (ITU-R BT.2390); anything brighter is white.
- **Alpha.** Stays in PNG, WebP and AVIF, becomes one transparent colour in GIF, and is blended with white (or \`b\`) in JPEG.
- **One image.** Of animations, sequences and documents, the first or main image is shown, or the one that \`pg\` selects.
- **Never larger.** A result that is the same image in the same size and format is never larger than its original: its coded pixels may be copied, without metadata and, if necessary, with their profile. Only the rights can add bytes: as XMP, a short notice has about 340.
- **Bounded.** Sizes, frames, memory and time have [limits](configuration.md). Sizes are checked before decoding.
`;

const UPLOADS = `## Uploads

The extension of a file, its bytes and the type that the client declares have to match; otherwise the upload is refused with \`type_mismatch\`. Without a declared type, and with \`application/octet-stream\`, only the bytes and the extension have to match. Parameters of a type (\`; codecs=opus\`) are ignored.

- **MP4.** The brand of a file decides. If it is a brand of 3GPP or of audio files (\`3gp4\`, \`3g2a\`, \`M4A\`), the compatible brands decide: with \`isom\`, \`iso2\` to \`isoc\`, \`mp41\` or \`mp42\` among them, the file is MP4; otherwise it is refused.
- **WAV.** RIFF, RF64 and BW64.
- **Ogg.** Opus, Vorbis, FLAC and Speex. Ogg with video is refused.
- **Documents.** Accepted only with \`EXTRA_TYPES\`.
`;

if (import.meta.main) await writeFile(PAGE, formatsPage());
