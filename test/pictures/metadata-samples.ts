import { crc32, deflateSync } from 'node:zlib';

/** Metadata of an original. Absent fields are not written. */
export interface Tags {
  copyright?: string | undefined;
  artist?: string | undefined;
  /** Marks everything that must not appear in a variant. */
  secret: string;
  camera: boolean;
  gps: boolean;
  /** A JPEG in IFD1. */
  thumbnail?: Buffer | undefined;
  xmp: boolean;
  iptc: boolean;
  comments: boolean;
  resolution: boolean;
  unknown: boolean;
  afterTheEnd: boolean;
}

type Field = readonly [tag: number, type: number, count: number, value: Buffer];

const text = (tag: number, value: string): Field => {
  const bytes = Buffer.from(`${value}\0`, 'latin1');
  return [tag, 2, bytes.length, bytes];
};
const number = (tag: number, value: number): Field => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return [tag, 4, 1, bytes];
};
const rational = (tag: number, values: readonly number[]): Field => {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) {
    bytes.writeUInt32BE(value, 8 * index);
    bytes.writeUInt32BE(1, 8 * index + 4);
  }
  return [tag, 5, values.length, bytes];
};

/** Encodes one directory, followed by its values. Source: TIFF 6.0, section 2. */
function directory(at: number, fields: readonly Field[], next = 0): Buffer {
  const sorted = fields.toSorted(([a], [b]) => a - b);
  const head = Buffer.alloc(2 + 12 * sorted.length + 4);
  head.writeUInt16BE(sorted.length);
  head.writeUInt32BE(next, head.length - 4);
  const parts = [head];
  let end = at + head.length;
  for (const [index, [tag, type, count, value]] of sorted.entries()) {
    const entry = 2 + 12 * index;
    head.writeUInt16BE(tag, entry);
    head.writeUInt16BE(type, entry + 2);
    head.writeUInt32BE(count, entry + 4);
    if (value.length <= 4) value.copy(head, entry + 8);
    else {
      head.writeUInt32BE(end, entry + 8);
      const padded = Buffer.concat([value, Buffer.alloc(value.length % 2)]);
      parts.push(padded);
      end += padded.length;
    }
  }
  return Buffer.concat(parts);
}

/** Returns an EXIF block as cameras write it: IFD0, ExifIFD, GPS, and IFD1 with a thumbnail. */
export function exifBlock({ copyright, artist, secret, camera, gps, thumbnail, resolution }: Tags): Buffer {
  const own: Field[] = [];
  if (copyright !== undefined) own.push(text(0x8298, copyright));
  if (artist !== undefined) own.push(text(0x013b, artist));
  if (camera)
    own.push(text(0x010f, `make ${secret}`), text(0x010e, `place ${secret}`), text(0x0132, '2026:01:02 03:04:05'));
  if (resolution) own.push(rational(0x011a, [301]), rational(0x011b, [301]));
  const photo = [text(0x9003, '2026:01:02 03:04:05'), text(0xa431, `serial ${secret}`), text(0xa434, `lens ${secret}`)];
  const place = [text(1, 'N'), rational(2, [51, 30, 7]), text(3, 'W'), rational(4, [0, 7, 9]), text(0x1d, secret)];
  const layOut = (photoAt: number, placeAt: number, next: number) => {
    const fields = [...own, ...(camera ? [number(0x8769, photoAt)] : []), ...(gps ? [number(0x8825, placeAt)] : [])];
    return directory(8, fields, next);
  };
  const photoAt = 8 + layOut(1, 1, 0).length;
  const photos = camera ? directory(photoAt, photo) : Buffer.alloc(0);
  const placeAt = photoAt + photos.length;
  const places = gps ? directory(placeAt, place) : Buffer.alloc(0);
  const next = placeAt + places.length;
  const small = thumbnail && [number(0x0103, 6), number(0x0201, next + 42), number(0x0202, thumbnail.length)];
  const tail = small && thumbnail ? [directory(next, small), thumbnail] : [];
  const head = Buffer.from([...Buffer.from('MM\0*', 'latin1'), 0, 0, 0, 8]);
  return Buffer.concat([head, layOut(photoAt, placeAt, small ? next : 0), photos, places, ...tail]);
}

/** Returns the file with metadata in every location that its format supports. */
export function tagged(file: Buffer, format: string, tags: Tags): Buffer {
  const write = WRITERS[format];
  return write ? write(file, tags) : file;
}

const WRITERS: Readonly<Record<string, (file: Buffer, tags: Tags) => Buffer>> = {
  jpeg: taggedJpeg,
  png: taggedPng,
  webp: taggedWebp,
  gif: taggedGif,
};

const xmpOf = (secret: string) =>
  Buffer.from(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF>${secret}</rdf:RDF></x:xmpmeta>`);

function taggedJpeg(file: Buffer, tags: Tags): Buffer {
  const { secret } = tags;
  const segment = (marker: number, ...parts: (string | Buffer)[]) => {
    const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
    return Buffer.concat([Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255]), body]);
  };
  const dataset = Buffer.concat([Buffer.from([0x1c, 2, 120, 0, secret.length]), Buffer.from(secret)]);
  const resource = Buffer.from([...Buffer.from('8BIM'), 4, 4, 0, 0, 0, 0, 0, dataset.length]);
  return Buffer.concat([
    file.subarray(0, 2),
    ...(tags.resolution ? [segment(0xe0, 'JFIF\0', Buffer.from([1, 1, 1, 1, 44, 1, 44, 0, 0]))] : []),
    segment(0xe1, 'Exif\0\0', exifBlock(tags)),
    ...(tags.xmp ? [segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', xmpOf(secret))] : []),
    ...(tags.iptc ? [segment(0xed, 'Photoshop 3.0\0', resource, dataset, Buffer.alloc(dataset.length % 2))] : []),
    ...(tags.comments ? [segment(0xfe, `comment ${secret}`)] : []),
    ...(tags.unknown ? [segment(0xe7, `maker ${secret}`), segment(0xee, `not Adobe ${secret}`)] : []),
    file.subarray(2),
    ...(tags.afterTheEnd ? [Buffer.from(`second picture ${secret}`)] : []),
  ]);
}

function taggedPng(file: Buffer, tags: Tags): Buffer {
  const { secret } = tags;
  const chunk = (type: string, ...parts: (string | Buffer)[]) => {
    const body = Buffer.concat(
      [type, ...parts].map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
    );
    const whole = Buffer.concat([Buffer.alloc(4), body, Buffer.alloc(4)]);
    whole.writeUInt32BE(body.length - 4);
    whole.writeUInt32BE(crc32(body), whole.length - 4);
    return whole;
  };
  return Buffer.concat([
    file.subarray(0, 33),
    ...(tags.resolution ? [chunk('pHYs', Buffer.from([0, 0, 46, 59, 0, 0, 46, 59, 1]))] : []),
    chunk('eXIf', exifBlock(tags)),
    ...(tags.xmp ? [chunk('iTXt', 'XML:com.adobe.xmp\0\0\0\0\0', xmpOf(secret))] : []),
    ...(tags.iptc ? [chunk('zTXt', 'Raw profile type iptc\0\0', deflateSync(Buffer.from(secret)))] : []),
    ...(tags.comments
      ? [chunk('tEXt', `Comment\0${secret}`), chunk('tIME', Buffer.from([7, 234, 1, 2, 3, 4, 5]))]
      : []),
    ...(tags.unknown ? [chunk('prVt', secret)] : []),
    // sharp writes its own resolution into every PNG.
    file.subarray(file.toString('latin1', 37, 41) === 'pHYs' ? 54 : 33),
    ...(tags.afterTheEnd ? [Buffer.from(secret)] : []),
  ]);
}

/** Tags a file of sharp with EXIF data, which are in the last chunk, as announced by the first one. */
function taggedWebp(file: Buffer, tags: Tags): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(body.length);
    return Buffer.concat([Buffer.from(type), length, body, Buffer.alloc(body.length % 2)]);
  };
  const whole = Buffer.concat([
    file.subarray(0, file.lastIndexOf('EXIF')),
    chunk('EXIF', exifBlock(tags)),
    ...(tags.xmp ? [chunk('XMP ', xmpOf(tags.secret))] : []),
    ...(tags.unknown ? [chunk('prVt', Buffer.from(tags.secret))] : []),
  ]);
  whole.writeUInt32LE(whole.length - 8, 4);
  if (whole.toString('latin1', 12, 16) !== 'VP8X') throw new Error('a WebP without VP8X cannot be tagged');
  whole[20] = (whole[20] as number) | 0x08 | (tags.xmp ? 0x04 : 0);
  return Buffer.concat([whole, tags.afterTheEnd ? Buffer.from(tags.secret) : Buffer.alloc(0)]);
}

function taggedGif(file: Buffer, { secret, comments, unknown, xmp, afterTheEnd }: Tags): Buffer {
  const at = 13 + (file.readUInt8(10) & 0x80 ? 3 * 2 ** ((file.readUInt8(10) & 7) + 1) : 0);
  const extension = (label: number, ...parts: string[]) =>
    Buffer.concat([
      Buffer.from([0x21, label]),
      ...parts.map((part) => Buffer.from([part.length, ...Buffer.from(part, 'latin1')])),
      Buffer.from([0]),
    ]);
  return Buffer.concat([
    file.subarray(0, at),
    ...(comments ? [extension(0xfe, `comment ${secret}`)] : []),
    ...(xmp ? [extension(0xff, 'XMP DataXMP', secret)] : []),
    ...(unknown ? [extension(0xff, 'PRIVATE 1.0', secret)] : []),
    file.subarray(at),
    ...(afterTheEnd ? [Buffer.from(secret)] : []),
  ]);
}
