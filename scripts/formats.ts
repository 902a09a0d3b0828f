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
      'Baseline, extended, progressive, arithmetic and lossless coding of 8 bits, with any sampling and with restart markers; grey, YCbCr, RGB, CMYK, YCCK. CMYK without a profile is read with that of a press. Of several pictures (MPO, gain maps) the first one is shown. A file of which only the end is missing is shown, too.',
    not: '12 and 16 bits, lossless coding of YCbCr, hierarchical coding, JPEG-LS: refused. Gain maps are not applied.',
  },
  {
    kind: 'PNG',
    mimes: ['image/png'],
    shown:
      'All types and depths, interlaced or not, with alpha or a transparent colour. Colours by `cICP`, else `iCCP`, else `sRGB`, else `gAMA` and `cHRM`. Of an APNG, the picture that other readers show.',
    not: 'The animation of an APNG.',
  },
  {
    kind: 'WebP',
    mimes: ['image/webp'],
    shown:
      'Lossy and lossless, with alpha; hidden colours are not mixed into a smaller result, and alpha counts where the headers do not announce it, or deny it. Of an animation the first frame, in its place on the canvas.',
    not: 'The animation, unless [`an_true`](animation.md) asks for it.',
  },
  {
    kind: 'AVIF',
    mimes: ['image/avif'],
    shown:
      '8, 10 and 12 bits, 4:0:0 to 4:4:4, full and limited range (colours and alpha; a `colr` box overrules the stream), any matrix; grids; layers, of which the best one is shown; straight and premultiplied alpha. Colours by ICC profile, else by code points (`nclx`, or those of the stream). Turned, mirrored and cut by `irot`, `imir` and `clap` of the image, which count for its alpha too; an EXIF orientation does not count. Of several images the primary one, of a sequence the main picture.',
    not: 'The sequence; one without a main picture, of tracks alone, is refused. Gain maps and depth maps.',
  },
  {
    kind: 'HEIC',
    mimes: ['image/heic', 'image/heif'],
    shown:
      'As AVIF, coded as HEVC. An upload is kept as a JPEG (quality 92, 4:4:4): upright, with the profile of the file, HDR tone-mapped to sRGB, on white where it is transparent.',
    not: 'Sequences, gain maps, depth maps and thumbnails.',
  },
  {
    kind: 'GIF',
    mimes: ['image/gif'],
    shown:
      'The first frame, in its place on the canvas, transparent where nothing is drawn or where a frame was cleared, whether or not it has a transparent colour. The background colour does not count. The canvas is at least as large as the first frame. Image, animation and [video](animation.md) show the same.',
    not: 'The animation, unless [`an_true`](animation.md) asks for it. Around a frame that uses all 256 colours, or has more than 4 MB, and leaves some of the canvas uncovered, the canvas is black.',
  },
  {
    kind: 'PSD',
    mimes: ['image/vnd.adobe.photoshop'],
    shown:
      'PSD and PSB: bitmap, grey, duotone (as grey), indexed, RGB, CMYK and Lab of 1 to 32 bits; raw, RLE and ZIP. The merged picture with its transparency, or the layers where it was left out. CMYK as in JPEG.',
    not: 'Multichannel mode and spot channels. Without a merged picture: Lab layers, dissolve, layers that only Photoshop can draw (adjustments, effects).',
  },
];

/** Formats of `EXTRA_TYPES`. */
const DOCUMENTS: readonly Format[] = [
  {
    kind: 'SVG',
    mimes: ['image/svg+xml'],
    shown:
      'What librsvg draws, in the fonts of the service, at the size that is asked for, so that it is sharp; `c_fit` fills its box, because nothing is enlarged. Without a size a pixel of CSS is one of the picture: an inch has 96 of them, also where sizes are in mm, cm, pt or pc, and letters have 16 unless the file says more. Elements may have a prefix (`<svg:svg>`). It is drawn no larger than `MAX_INPUT_MEGAPIXELS`, and not for longer than `DOCUMENT_TIMEOUT_MS`: one that takes longer is 422 for ten minutes. The original is delivered as it is, with a policy by which browsers run and load nothing of it.',
    not: 'Whatever it refers to outside of itself, in any way: nothing is read or fetched, and nothing painted for it. Scripts, pages within it, animations. A file that declares entities, has more than 10 MB, is compressed, or is written in UTF-16: refused.',
  },
  {
    kind: 'PDF',
    mimes: ['application/pdf'],
    shown:
      'What PDFium draws of a page, with its comments and the fields of its form as they are filled in, on white and turned as the page says, at the size that is asked for; `pg` names the page. Small results are drawn larger and shrunk, so that thin lines stay thin, as far as a quarter of `DOCUMENT_TIMEOUT_MS` allows. Without a size a point (1/72 inch) is a pixel; `c_fit` fills its box, because nothing is enlarged. It is drawn no larger than `MAX_INPUT_MEGAPIXELS`, and not for longer than `DOCUMENT_TIMEOUT_MS`: a page that takes longer is 422 for ten minutes, and after two such pages the whole file is.',
    not: 'Encrypted files that open with a password alone, and damaged ones: 422. Scripts, links and files elsewhere: nothing runs, nothing is fetched. Fonts that are not in the file are replaced by those that PDFium has, which have no Chinese, Japanese or Korean.',
  },
  {
    kind: 'TIFF',
    mimes: ['image/tiff'],
    shown:
      'Grey, palette, RGB, CMYK and Lab (CIE and ICC) of 1 to 16 bits, with alpha, in strips or tiles, interleaved or in planes; RGB of 32-bit floats without a profile, as linear light. Uncompressed, PackBits, LZW, Deflate, JPEG, old JPEG in strips, CCITT (RLE, Group 3 and 4), ThunderScan, PixarLog and SGI Log; what libvips does not read itself (Lab, 3, 5 to 7 and 9 to 15 bits, planes in tiles) uncompressed or by PackBits, LZW and Deflate alone. Turned upright by its orientation; `pg` names the page. `MAX_INPUT_MEGAPIXELS` counts for one page.',
    not: 'Refused, with a message that names the tag: JBIG, JPEG 2000, JPEG XL, JPEG XR, LERC, LZMA, WebP and Zstandard coding; signed and complex samples, half floats and floats with a profile (SampleFormat); whole numbers of 32 bits, grey floats; YCbCr in planes; old JPEG in tiles; more than 5 channels. Raw files of cameras, which are TIFF files too, are not accepted: CR2, DNG, and those whose first image is a preview by a camera (`NewSubfileType` 1 with `Make` and `SubIFDs`).',
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

## What the corpus holds

The files of [the corpus](../test/corpus/README.md), by what is special about them. "Refused" are those that have to fail.

${[...FORMATS, ...DOCUMENTS].filter(isInCorpus).map(corpusOf).join('\n')}`;
}

function tableOf(formats: readonly Format[]): string {
  const rows = formats.map((format) => `| ${[format.kind, filesOf(format), format.shown, format.not].join(' | ')} |`);
  return `| format | files | what is read, and how it is shown | what is not |
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
  return `| names | type | declared as |
|---|---|---|
${rows.join('\n')}`;
}

/** Returns the image types missing from the page, which is a mistake in it. */
export function undescribed(): string[] {
  const known = [...FORMATS, ...DOCUMENTS].flatMap(({ mimes }) => mimes);
  return pictureTypes()
    .map(({ mime }) => mime)
    .filter((mime) => !known.includes(mime));
}

const pictureTypes = (): MediaType[] =>
  [...MEDIA_TYPES, ...Object.values(EXTRA_MEDIA_TYPES)].filter(({ kind }) => kind === 'image');

function filesOf({ mimes }: Format): string {
  const types = pictureTypes().filter(({ mime }) => mimes.includes(mime));
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

const INTRODUCTION = `# Picture formats

<!-- Written by \`npm run docs\` from scripts/formats.ts, src/media.ts and test/corpus/index.json. -->

What the service reads, how it is shown, and what is not. Outputs are AVIF, WebP, JPEG, PNG and GIF of 8 bits. A file that cannot be shown is 400 or, at delivery, the original itself with \`X-Transform-Fallback\`. Which bytes belong to which extension is checked when a file is uploaded.

Everything here is proven with small files, rendered at full size and at 200 pixels in PNG, JPEG, WebP and AVIF: the mean CIEDE2000 to what a second decoder or a formula says is at most 1, for HDR 2.
`;

const DOCUMENTS_ON = `## Documents

Off by default: with \`EXTRA_TYPES=svg,pdf,tiff\` files of these types are uploaded, delivered and transformed as pictures are, with thumbnails in the dashboard and facts in the catalog, and can be layers. Their decoders open for one picture at a time, in a process that may be ended. One that cannot be shown is 422 and says why. Switched off again, stored files stay: PDFs are delivered as they are, the others as bytes that no browser interprets.
`;

const RULES = `## Rules for all of them

- **Upright.** JPEG, PNG and WebP are turned by their EXIF orientation, if it is a number of two bytes, as browsers want it, AVIF and HEIC by their own properties.
- **In sRGB.** ICC profiles of version 2 and 4 (grey, RGB, CMYK) are applied with the perceptual intent, so that the darkest black of a press is black. Pictures without a profile and without any other word about their colours are sRGB. What sRGB cannot show is cut off. A profile for another kind of pixels, such as Lab in a file of RGB, does not count.
- **Code points** (ITU-T H.273): the primaries and transfers of BT.709, BT.601, BT.2020, P3, sRGB, SMPTE 240M, gamma 2.2, 2.6 and 2.8, and linear light. The transfers of television say what a camera does; such pictures are shown as sRGB, as browsers do.
- **HDR** (PQ, HLG): white of a graphic, 203 cd/m2, is the white of the result; up to 1000 cd/m2 are compressed into it (ITU-R BT.2390), what is brighter is white.
- **Alpha** is kept in PNG, WebP and AVIF, as one transparent colour in GIF, and lies on white (or on \`b\`) in JPEG.
- **One picture.** Of animations, sequences and documents the first or main one is shown, or the one that \`pg\` names.
- **Unchanged.** A result that is the same picture in the same size and format is never larger than its original: its coded pixels may be taken over without their metadata, with their profile if need be. Only its rights may take more bytes: as XMP a short notice has about 340.
- **Bounded.** Sizes, frames, memory and time have [limits](configuration.md); sizes are checked before a pixel is decoded.
`;

const UPLOADS = `## Uploads

The extension of a file, its bytes and the type that the client declares have to agree; otherwise the upload is refused with \`type_mismatch\`. Without a declared type, and with \`application/octet-stream\`, the bytes and the extension decide. Parameters of a type (\`; codecs=opus\`) do not count.

- **MP4.** The brand of a file decides, or its compatible brands where it is one of 3GPP or of sound alone (\`3gp4\`, \`3g2a\`, \`M4A\`): with \`isom\`, \`iso2\` to \`isoc\`, \`mp41\` or \`mp42\` among them it is MP4, without it is refused.
- **WAV.** RIFF, RF64 and BW64.
- **Ogg.** Opus, Vorbis, FLAC and Speex. Ogg with pictures is refused.
- **Documents** are accepted with \`EXTRA_TYPES\` alone.
`;

if (import.meta.main) await writeFile(PAGE, formatsPage());
