import { readFile } from 'node:fs/promises';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { corpus, pathOf } from '../corpus/index.ts';
import { fixture } from '../http.ts';
import type { Random } from './seeded-random.ts';

export interface PictureFile {
  name: string;
  bytes: Buffer;
}

/** Returns files of every kind, including the corpus, small enough to decode a thousand times. */
export async function soundPictures(): Promise<PictureFile[]> {
  const photo = sharp(fixture('portrait-face.jpg')).resize(240);
  const frames = await Promise.all([0, 90].map((hue) => photo.clone().modulate({ hue }).resize(60).png().toBuffer()));
  const animation = sharp(frames, { join: { animated: true } });
  const files: Record<string, Buffer | Promise<Buffer>> = {
    'photo.jpg': photo.clone().jpeg().toBuffer(),
    'progressive.jpg': photo.clone().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
    'tagged.jpg': photo.clone().withExif(TAGS).withIccProfile('p3').jpeg().toBuffer(),
    'cmyk.jpg': photo.clone().toColourspace('cmyk').withIccProfile('cmyk').jpeg().toBuffer(),
    'photo.png': photo.clone().png().toBuffer(),
    'palette.png': photo.clone().png({ palette: true }).toBuffer(),
    'deep.png': photo.clone().toColourspace('rgb16').withIccProfile('p3').png().toBuffer(),
    'interlaced.png': photo.clone().ensureAlpha(0.5).png({ progressive: true }).toBuffer(),
    'flag.png': fixture('flag-alpha.png'),
    'photo.webp': photo.clone().webp().toBuffer(),
    'lossless.webp': photo.clone().ensureAlpha(0.5).webp({ lossless: true }).toBuffer(),
    'animated.webp': animation.clone().webp().toBuffer(),
    'photo.avif': photo.clone().avif({ effort: 0 }).toBuffer(),
    'alpha.avif': photo.clone().ensureAlpha(0.5).avif({ effort: 0, bitdepth: 10 }).toBuffer(),
    'photo.gif': photo.clone().gif().toBuffer(),
    'animated.gif': animation.clone().gif().toBuffer(),
    'merged.psd': fixture('merged-hopper.psd'),
    'layers.psd': fixture('layers-hopper.psd'),
    'still.heic': fixture('still.heic'),
    'profile.heic': fixture('display-p3.heic'),
    'turned.heic': fixture('rotated.heic'),
    'alpha.heic': fixture('alpha.heic'),
  };
  const made = Object.entries(files).map(async ([name, bytes]) => ({ name, bytes: await bytes }));
  const coded = corpus.map(async (entry) => ({ name: entry.file, bytes: await readFile(pathOf(entry)) }));
  return Promise.all([...made, ...coded]);
}

/** Returns malicious files: they claim too much, contain too much, end too early or have another type. */
export async function hostilePictures(): Promise<PictureFile[]> {
  const known = ['bomb-16383.png', 'truncated.jpg', 'corrupt-header.jpg', 'not-an-image.jpg'];
  const jpeg = fixture('concert.jpg');
  const blank = { create: { width: 4000, height: 4000, channels: 3, background: 'white' } } as const;
  const gif = await sharp({ create: { ...blank.create, width: 2, height: 2 } })
    .gif()
    .toBuffer();
  const psd = Buffer.from(fixture('merged-hopper.psd'));
  psd.writeUInt32BE(30_000, 14);
  psd.writeUInt32BE(30_000, 18);
  return [
    ...known.map((name) => ({ name, bytes: fixture(name) })),
    { name: 'claims-65536.png', bytes: png(65_536, 65_536, []) },
    { name: 'claims-2-billion.png', bytes: png(0x7fffffff, 0x7fffffff, []) },
    { name: 'claims-nothing.png', bytes: png(0, 0, []) },
    { name: 'claims-65500.jpg', bytes: claimSize(jpeg, 65_500, 65_500) },
    { name: 'claims-9000.jpg', bytes: claimSize(jpeg, 9000, 9000) },
    { name: 'claims-65535.gif', bytes: claimGifSize(gif, 65_535, 65_535) },
    { name: 'claims-30000.psd', bytes: psd },
    { name: 'blank-16-megapixels.webp', bytes: await sharp(blank).webp({ lossless: true, effort: 0 }).toBuffer() },
    { name: 'blank-16-megapixels.jpg', bytes: await sharp(blank).jpeg().toBuffer() },
    { name: 'text-bomb.png', bytes: png(1, 1, [chunk('zTXt', textBomb('Comment\0\0'))]) },
    { name: 'profile-bomb.png', bytes: png(1, 1, [chunk('iCCP', textBomb('icc\0\0'))]) },
    { name: 'many-frames.gif', bytes: repeatFrames(gif, 5000) },
    { name: 'svg.png', bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>') },
    { name: 'script.jpg', bytes: Buffer.from('<script>alert(1)</script>') },
    { name: 'empty.avif', bytes: Buffer.alloc(0) },
    { name: 'nested.heic', bytes: nestedBoxes(2000) },
  ];
}

/**
 * Applies one to three kinds of damage: bytes flipped, set, removed, repeated or inserted, numbers made huge, the end
 * cut off.
 */
export function damage(sound: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(sound);
  for (let left = random.pick([1, 1, 2, 3]); left > 0; left--) bytes = random.pick(DAMAGES)(bytes, random);
  return bytes;
}

type Damage = (bytes: Buffer, random: Random) => Buffer;

/** Returns a random position; half of the time in the head, where structure is. */
function place(bytes: Buffer, random: Random): number {
  return random.below(Math.max(1, random.next() < 0.5 ? Math.min(bytes.length, 600) : bytes.length));
}

const flipBits: Damage = (bytes, random) => {
  // A single changed bit gets deep into a decoder; many are noticed early.
  for (let left = 1 + random.below(random.pick([1, 3, 30])); left > 0 && bytes.length > 0; left--) {
    const at = place(bytes, random);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  }
  return bytes;
};

const setRun: Damage = (bytes, random) => {
  const at = place(bytes, random);
  return bytes.fill(random.pick([0, 0xff, 0x80, 0x7f]), at, Math.min(bytes.length, at + 1 + random.below(64)));
};

const setNumber: Damage = (bytes, random) => {
  if (bytes.length < 4) return bytes;
  const at = Math.min(place(bytes, random), bytes.length - 4);
  bytes.writeUInt32BE(random.pick([0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0xffff, 0x10000]), at);
  return bytes;
};

const cutEnd: Damage = (bytes, random) => bytes.subarray(0, place(bytes, random));

const cutOut: Damage = (bytes, random) => {
  const at = place(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(200))]);
};

const repeat: Damage = (bytes, random) => {
  const at = place(bytes, random);
  const part = bytes.subarray(at, at + 1 + random.below(400));
  return Buffer.concat([bytes.subarray(0, at), part, part, bytes.subarray(at)]);
};

const insert: Damage = (bytes, random) => {
  const at = place(bytes, random);
  const junk = Buffer.from(Array.from({ length: 1 + random.below(60) }, () => random.below(256)));
  return Buffer.concat([bytes.subarray(0, at), junk, bytes.subarray(at)]);
};

const DAMAGES: readonly Damage[] = [flipBits, flipBits, setRun, setNumber, setNumber, cutEnd, cutOut, repeat, insert];

const TAGS = { IFD0: { Copyright: '(c) Ada', Make: 'Camera' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } };

/** Returns an 8-bit RGBA PNG with one row of pixels at most, of any claimed size. */
function png(width: number, height: number, extra: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc(5)));
  return Buffer.concat([signature, chunk('IHDR', header), ...extra, pixels, chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  const sum = Buffer.alloc(4);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns 64 MB of zeros in 64 KB. */
function textBomb(head: string): Buffer {
  return Buffer.concat([Buffer.from(head, 'latin1'), deflateSync(Buffer.alloc(64 * 1024 * 1024))]);
}

/** Returns the same JPEG with another size in its frame header. */
export function claimSize(jpeg: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(jpeg);
  for (let at = 2; at < copy.length; at += 2 + copy.readUInt16BE(at + 2)) {
    const marker = copy[at + 1] ?? 0;
    if (marker < 0xc0 || marker > 0xc2) continue;
    copy.writeUInt16BE(height, at + 5);
    copy.writeUInt16BE(width, at + 7);
    return copy;
  }
  throw new Error('Expected a JPEG with a frame header.');
}

/** Returns the same GIF with another canvas size. */
function claimGifSize(gif: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(gif);
  copy.writeUInt16LE(width, 6);
  copy.writeUInt16LE(height, 8);
  return copy;
}

/** Repeats the only frame of a GIF. */
export function repeatFrames(gif: Buffer, count: number): Buffer {
  const head = 13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1) * ((gif[10] ?? 0) >> 7);
  const frame = gif.subarray(head, gif.length - 1);
  return Buffer.concat([gif.subarray(0, head), ...Array.from({ length: count }, () => frame), gif.subarray(-1)]);
}

/** Returns boxes nested to the given depth. */
function nestedBoxes(depth: number): Buffer {
  const type = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
  let box = Buffer.alloc(0);
  for (let left = depth; left > 0; left--) {
    const head = Buffer.alloc(12);
    head.writeUInt32BE(12 + box.length, 0);
    head.write(left === depth ? 'iprp' : 'meta', 4, 'latin1');
    box = Buffer.concat([head, box]);
  }
  return Buffer.concat([type, box]);
}
