import type { Triple } from '../../pictures/colours.ts';
import { D50, PRIMARIES, type Primaries, product, TO_D50, toXyz } from '../spaces.ts';

/** A tone curve: a gamma, or the sRGB curve as a formula (version 4 only). */
type Curve = number | 'srgb';

/**
 * Creates an RGB display profile. Versions 2 and 4 store colours in different tags. Source: ICC.1:2001-04, ICC.1:2022.
 */
export function rgbProfile(version: 2 | 4, primaries: Primaries, curve: Curve): Buffer {
  const [x, y, z] = product(TO_D50, toXyz(PRIMARIES[primaries]));
  const colorants = [0, 1, 2].map((index): Triple => [x[index] ?? 0, y[index] ?? 0, z[index] ?? 0]);
  const tags: [string, Buffer][] = [];
  for (const [index, letter] of [...'rgb'].entries()) {
    tags.push([`${letter}XYZ`, xyz(colorants[index] ?? D50)], [`${letter}TRC`, curveTag(curve)]);
  }
  if (version === 4) tags.push(['chad', adaptation()]);
  return profile(version, 'RGB ', primaries, tags);
}

/** Creates a grey display profile. */
export function greyProfile(version: 2 | 4, curve: Curve): Buffer {
  return profile(version, 'GRAY', 'Grey', [['kTRC', curveTag(curve)]]);
}

/** Creates a profile with additional tags next to the required ones. */
export function profile(
  version: 2 | 4,
  space: 'RGB ' | 'GRAY' | 'CMYK',
  name: string,
  own: readonly [string, Buffer][],
): Buffer {
  const tags = [...names(version, name), ['wtpt', xyz(D50)] as const, ...own];
  const header = Buffer.alloc(128);
  header.writeUInt32BE(version === 4 ? 0x04400000 : 0x02400000, 8);
  header.write(space === 'CMYK' ? 'prtrCMYKLab ' : `mntr${space}XYZ `, 12, 'latin1');
  header.write('acsp', 36, 'latin1');
  xyz(D50).copy(header, 68, 8);
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length, 0);
  const parts: Buffer[] = [header, table];
  let offset = header.length + table.length;
  for (const [index, [name, data]] of tags.entries()) {
    const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
    table.write(name, 4 + index * 12, 'latin1');
    table.writeUInt32BE(offset, 8 + index * 12);
    table.writeUInt32BE(data.length, 12 + index * 12);
    parts.push(padded);
    offset += padded.length;
  }
  header.writeUInt32BE(offset, 0);
  return Buffer.concat(parts);
}

function names(version: 2 | 4, name: string): [string, Buffer][] {
  if (version === 2) {
    const text = Buffer.from(`${name}\0`, 'latin1');
    const length = Buffer.from([0, 0, 0, text.length]);
    const description = Buffer.concat([Buffer.from('desc\0\0\0\0', 'latin1'), length, text, Buffer.alloc(78)]);
    return [
      ['desc', description],
      ['cprt', Buffer.from('text\0\0\0\0none\0', 'latin1')],
    ];
  }
  return [
    ['desc', unicode(name)],
    ['cprt', unicode('none')],
  ];
}

function unicode(text: string): Buffer {
  const letters = Buffer.from(text, 'utf16le').swap16();
  const head = Buffer.from('mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS\0\0\0\0\0\0\0\x1c', 'latin1');
  head.writeUInt32BE(letters.length, 20);
  return Buffer.concat([head, letters]);
}

function curveTag(curve: Curve): Buffer {
  if (curve === 'srgb') {
    const head = Buffer.from('para\0\0\0\0\0\x03\0\0', 'latin1');
    return Buffer.concat([head, fixed(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)]);
  }
  const tag = Buffer.from('curv\0\0\0\0\0\0\0\x01\0\0', 'latin1');
  tag.writeUInt16BE(Math.round(curve * 256), 12);
  return tag;
}

const adaptation = () => Buffer.concat([Buffer.from('sf32\0\0\0\0', 'latin1'), fixed(...TO_D50.flat())]);
const xyz = (values: Triple) => Buffer.concat([Buffer.from('XYZ \0\0\0\0', 'latin1'), fixed(...values)]);

function fixed(...values: number[]): Buffer {
  const out = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => void out.writeInt32BE(Math.round(value * 65_536), index * 4));
  return out;
}
