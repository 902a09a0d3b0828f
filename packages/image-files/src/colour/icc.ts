import { adapt, type Matrix, multiply, type Primaries, type Transfer, type Triple, toXyz, xyzOf } from './spaces.ts';

/** White point of the profile connection space. */
export const D50: Triple = [0.9642, 1, 0.8249];

/** Entries of a tone curve. */
const CURVE = 1024;

/** Points of a table along each of its three sides. Little CMS works with this number, so more do not help. */
const GRID = 33;

/** Returns the matrix from linear RGB to XYZ under D50; undefined if the primaries span no colours. */
export function toD50(primaries: Primaries): Matrix | undefined {
  const xyz = toXyz(primaries);
  return xyz && multiply(adapt(xyzOf(primaries.white), D50), xyz);
}

/**
 * Makes an RGB profile of primaries and transfer; undefined if the primaries span no colours. Source: ICC.1:2001-04
 * (version 2), 6.3.1.2.
 */
export function rgbProfile(primaries: Primaries, transfer: Transfer): Buffer | undefined {
  const matrix = toD50(primaries);
  if (!matrix?.flat().every((value) => Math.abs(value) < 32_768)) return undefined;
  const curve = curveTag(transfer);
  const colorants = [0, 1, 2].map((column) => xyzTag(matrix.map((row) => row[column] ?? 0)));
  return profile('RGB ', 'XYZ ', [
    ...['rXYZ', 'gXYZ', 'bXYZ'].map((name, index): Tag => [name, colorants[index] as Buffer]),
    ...['rTRC', 'gTRC', 'bTRC'].map((name): Tag => [name, curve]),
  ]);
}

/** Makes a grey profile. Source: ICC.1:2001-04, 6.3.1.1. */
export function greyProfile(transfer: Transfer): Buffer {
  return profile('GRAY', 'XYZ ', [['kTRC', curveTag(transfer)]]);
}

/**
 * Makes an RGB profile with a table, from a function that returns CIE Lab of white D50. Source: ICC.1:2001-04, 6.3.1.3,
 * 6.5.7.
 */
export function tableProfile(toLab: (rgb: Triple) => Triple): Buffer {
  const head = Buffer.alloc(52);
  head.write('mft2', 'latin1');
  head.set([3, 3, GRID], 8);
  for (const diagonal of [12, 28, 44]) head.writeInt32BE(65_536, diagonal);
  head.writeUInt16BE(2, 48);
  head.writeUInt16BE(2, 50);
  const straight = Buffer.from('0000ffff'.repeat(3), 'hex');
  const table = Buffer.alloc(GRID ** 3 * 6);
  for (let point = 0; point < GRID ** 3; point++) {
    const side = (step: number) => (Math.floor(point / step) % GRID) / (GRID - 1);
    const [l, a, b] = toLab([side(GRID * GRID), side(GRID), side(1)]);
    const numbers = [(l / 100) * 65_280, (a + 128) * 256, (b + 128) * 256];
    numbers.forEach((value, index) => void table.writeUInt16BE(held(value), point * 6 + index * 2));
  }
  return profile('RGB ', 'Lab ', [['A2B0', Buffer.concat([head, straight, table, straight])]]);
}

/** Converts XYZ to CIE Lab, both of white D50. Source: ICC.1:2022, annex A. */
export function labOf(xyz: Triple): Triple {
  const root = (value: number) => (value > (6 / 29) ** 3 ? Math.cbrt(value) : value / (3 * (6 / 29) ** 2) + 4 / 29);
  const x = root(xyz[0] / D50[0]);
  const y = root(xyz[1] / D50[1]);
  const z = root(xyz[2] / D50[2]);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

type Tag = readonly [name: string, data: Buffer];

/** Writes header, tag table and tags. Equal tags are stored once. */
function profile(space: 'RGB ' | 'GRAY', connection: 'XYZ ' | 'Lab ', tags: readonly Tag[]): Buffer {
  const all: Tag[] = [['desc', DESCRIPTION], ['cprt', COPYRIGHT], ['wtpt', xyzTag(D50)], ...tags];
  const header = Buffer.alloc(128 + 4 + all.length * 12);
  header.writeUInt32BE(0x02_10_00_00, 8);
  header.write(`mntr${space}${connection}`, 12, 'latin1');
  header.write('acsp', 36, 'latin1');
  xyzTag(D50).copy(header, 68, 8);
  header.writeUInt32BE(all.length, 128);
  const parts: Buffer[] = [header];
  const offsets = new Map<Buffer, number>();
  let end = header.length;
  for (const [index, [name, data]] of all.entries()) {
    const offset = offsets.get(data) ?? end;
    if (offset === end) {
      parts.push(data, Buffer.alloc(-data.length & 3));
      end += data.length + (-data.length & 3);
      offsets.set(data, offset);
    }
    const entry = header.subarray(132 + index * 12);
    entry.write(name, 'latin1');
    entry.writeUInt32BE(offset, 4);
    entry.writeUInt32BE(data.length, 8);
  }
  header.writeUInt32BE(end, 0);
  return Buffer.concat(parts);
}

const DESCRIPTION = Buffer.concat([Buffer.from('desc\0\0\0\0\0\0\0\x09Darkroom\0', 'latin1'), Buffer.alloc(78)]);
const COPYRIGHT = Buffer.from('text\0\0\0\0none\0', 'latin1');

function xyzTag(xyz: readonly number[]): Buffer {
  const tag = Buffer.alloc(20);
  tag.write('XYZ ', 'latin1');
  xyz.forEach((value, index) => void tag.writeInt32BE(Math.round(value * 65_536), 8 + index * 4));
  return tag;
}

function curveTag(transfer: Transfer): Buffer {
  const tag = Buffer.alloc(12 + CURVE * 2);
  tag.write('curv', 'latin1');
  tag.writeUInt32BE(CURVE, 8);
  for (let i = 0; i < CURVE; i++) tag.writeUInt16BE(held(transfer(i / (CURVE - 1)) * 65_535), 12 + i * 2);
  return tag;
}

const held = (value: number) => Math.min(65_535, Math.max(0, Math.round(value)));
