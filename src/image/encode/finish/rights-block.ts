import { type Rights, readRights } from '@darkroom/image-files/rights/rights';
import sharp from 'sharp';

/** EXIF tags of IFD0, in ascending order as TIFF asks for. */
const TAGS = [
  [0x013b, 'Artist'],
  [0x8298, 'Copyright'],
] as const;
const ASCII = 2;
/** Characters of a notice that are kept: two of them fit into a segment of a JPEG, which has 64 KB. */
const LONGEST = 30_000;

/**
 * An EXIF block with the rights and nothing else: no other directory, no thumbnail, no sizes or dates. libvips would add a dozen
 * technical fields and take over the thumbnail of the original. Source: TIFF 6.0, section 2; Exif 2.32, 4.6.
 * @returns the block as it begins in all containers but JPEG, with its byte order
 */
export async function rightsBlock(rights: Partial<Rights>): Promise<Buffer> {
  const { Copyright, Artist } = await inAscii(rights);
  const texts = TAGS.flatMap(([tag, name]) => {
    const text = { Copyright, Artist }[name];
    return text === undefined ? [] : [{ tag, bytes: Buffer.from(`${text.slice(0, LONGEST)}\0`, 'latin1') }];
  });
  const head = Buffer.alloc(8 + 2 + 12 * texts.length + 4);
  head.write('MM\0*', 'latin1');
  head.writeUInt32BE(8, 4);
  head.writeUInt16BE(texts.length, 8);
  const parts = [head];
  let end = head.length;
  for (const [index, { tag, bytes }] of texts.entries()) {
    const entry = 10 + 12 * index;
    head.writeUInt16BE(tag, entry);
    head.writeUInt16BE(ASCII, entry + 2);
    head.writeUInt32BE(bytes.length, entry + 4);
    // Up to four bytes stand in the entry itself; others begin at even places.
    if (bytes.length <= 4) {
      bytes.copy(head, entry + 8);
      continue;
    }
    head.writeUInt32BE(end, entry + 8);
    const padded = Buffer.concat([bytes, Buffer.alloc(bytes.length % 2)]);
    parts.push(padded);
    end += padded.length;
  }
  return Buffer.concat(parts);
}

/** libvips spells text in ASCII (`©` as `(C)`), which EXIF asks for. */
async function inAscii(rights: Partial<Rights>): Promise<Partial<Rights>> {
  if (Object.values(rights).every((text) => /^[\0-\x7f]*$/.test(text))) return rights;
  const short = Object.fromEntries(Object.entries(rights).map(([name, text]) => [name, text.slice(0, LONGEST / 4)]));
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } });
  const jpeg = await pixel.withExif({ IFD0: short }).jpeg().toBuffer();
  return readRights(await sharp(jpeg).metadata()) ?? {};
}
