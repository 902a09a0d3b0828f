import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packages = dirname(dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/noto-sans/package.json')));

/** Reads a shipped font, such as `NotoSans_400Regular`. */
export function shippedFont(name: string, weight: string, folder = 'noto-sans'): Promise<Buffer> {
  return readFile(join(packages, folder, weight, `${name}_${weight}.ttf`));
}

/** Returns the same font under another name of equal length. */
export function renamed(font: Buffer, from: string, to: string): Buffer {
  const copy = Buffer.from(font);
  const table = tableOf(copy, 'name');
  for (const coding of ['utf16le', 'latin1'] as const) {
    const swap = (text: string) =>
      coding === 'latin1' ? Buffer.from(text, coding) : Buffer.from(text, coding).swap16();
    for (let at = table.indexOf(swap(from)); at >= 0; at = table.indexOf(swap(from))) swap(to).copy(table, at);
  }
  return resummed(copy);
}

/**
 * Returns the same font with letters of another size.
 * @param units of the em square; doubling it halves the letters
 */
export function resized(font: Buffer, units: number): Buffer {
  const copy = Buffer.from(font);
  tableOf(copy, 'head').writeUInt16BE(units, 18);
  return resummed(copy);
}

/** Corrects the checksums of the directory. */
function resummed(font: Buffer): Buffer {
  for (const { at, offset, length } of directoryOf(font)) {
    let sum = 0;
    for (let n = 0; n < length; n++) sum += (font[offset + n] ?? 0) * 2 ** (8 * (3 - (n % 4)));
    font.writeUInt32BE(sum % 2 ** 32, at + 4);
  }
  return font;
}

function tableOf(font: Buffer, tag: string): Buffer {
  const found = directoryOf(font).find(({ at }) => font.toString('latin1', at, at + 4) === tag);
  if (!found) throw new Error(`the font has no ${tag}`);
  return font.subarray(found.offset, found.offset + found.length);
}

function directoryOf(font: Buffer) {
  return Array.from({ length: font.readUInt16BE(4) }, (_, n) => {
    const at = 12 + n * 16;
    return { at, offset: font.readUInt32BE(at + 8), length: font.readUInt32BE(at + 12) };
  });
}
