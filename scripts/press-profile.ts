import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

// Creates press-cmyk.icc in packages/image-files/src/profiles from the fallback of sharp. Its README gives the reason.

const PROFILE = join(import.meta.dirname, '..', 'packages', 'image-files', 'src', 'profiles', 'press-cmyk.icc');

/** Points of the table along each ink; the last one is full ink. */
const GRID = 9;
/** Offset of the table: after a head, and 1024 16-bit numbers for each ink. */
const TABLE = 52 + 4 * 1024 * 2;
/** Zero chroma, in the table. */
const NEUTRAL = 0x8000;
const UNITS = 256;

/** From this point along black (90 %) on, mixes of the other inks that are grey without it become black. */
const DARK = 6;
/** Maximum chroma (of CIE Lab) of a grey mix, and minimum chroma of a colour. */
const GREY = 12;
const COLOUR = 24;

/**
 * Makes black neutral in a table from inks to Lab, in place: on the axis of black, where greys become black, and for
 * full black. Source: ICC.1:2001-04, 6.5.7 (lut16Type).
 */
function makeBlackNeutral(table: Buffer): void {
  const chromaOf = (point: number): readonly [number, number] => {
    const at = TABLE + point * 6;
    return [table.readUInt16BE(at + 2) - NEUTRAL, table.readUInt16BE(at + 4) - NEUTRAL];
  };
  for (let point = 0; point < GRID ** 4; point++) {
    const black = point % GRID;
    const others = point - black;
    const share =
      black === GRID - 1 || others === 0 ? 0 : black < DARK ? 1 : colourfulness(Math.hypot(...chromaOf(others)));
    const [a, b] = chromaOf(point);
    table.writeUInt16BE(NEUTRAL + Math.round(a * share), TABLE + point * 6 + 2);
    table.writeUInt16BE(NEUTRAL + Math.round(b * share), TABLE + point * 6 + 4);
  }
}

/** Returns 0 for a grey to 1 for a colour. */
function colourfulness(chroma: number): number {
  const t = Math.min(1, Math.max(0, (chroma / UNITS - GREY) / (COLOUR - GREY)));
  return t * t * (3 - 2 * t);
}

/** Returns the profile with which sharp converts CMYK if a file has none. */
async function fallbackProfile(): Promise<Buffer> {
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } });
  const inked = await pixel.toColourspace('cmyk').withIccProfile('cmyk').jpeg().toBuffer();
  const { icc } = await sharp(inked).metadata();
  if (!icc) throw new Error('sharp has written no profile');
  return icc;
}

/** Returns the content of a tag. */
function tagOf(icc: Buffer, name: string): Buffer {
  for (let at = 132; at < 132 + icc.readUInt32BE(128) * 12; at += 12) {
    const offset = icc.readUInt32BE(at + 4);
    if (icc.toString('latin1', at, at + 4) === name) {
      return Buffer.from(icc.subarray(offset, offset + icc.readUInt32BE(at + 8)));
    }
  }
  throw new Error(`the profile has no ${name}`);
}

/** Returns the header of a profile with only these tags. */
function profileOf(header: Buffer, tags: readonly (readonly [string, Buffer])[]): Buffer {
  const head = Buffer.concat([header.subarray(0, 128), Buffer.alloc(4 + tags.length * 12)]);
  head.writeUInt32BE(tags.length, 128);
  let end = head.length;
  const parts = tags.map(([name, data], index) => {
    head.write(name, 132 + index * 12, 'latin1');
    head.writeUInt32BE(end, 136 + index * 12);
    head.writeUInt32BE(data.length, 140 + index * 12);
    const padded = Buffer.concat([data, Buffer.alloc(-data.length & 3)]);
    end += padded.length;
    return padded;
  });
  head.writeUInt32BE(end, 0);
  return Buffer.concat([head, ...parts]);
}

function description(text: string): Buffer {
  const tag = Buffer.concat([Buffer.from('desc'), Buffer.alloc(8), Buffer.from(text, 'latin1'), Buffer.alloc(79)]);
  tag.writeUInt32BE(text.length + 1, 8);
  return tag;
}

export async function pressProfile(): Promise<Buffer> {
  const icc = await fallbackProfile();
  const table = tagOf(icc, 'A2B0');
  makeBlackNeutral(table);
  return profileOf(icc, [
    ['desc', description('Chemical proof, black made neutral')],
    ['cprt', tagOf(icc, 'cprt')],
    ['wtpt', tagOf(icc, 'wtpt')],
    ['A2B0', table],
  ]);
}

if (import.meta.main) await writeFile(PROFILE, await pressProfile());
