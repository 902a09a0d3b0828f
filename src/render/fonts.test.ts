import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renamed, resized, shippedFont } from '../../test/pictures/font-files.ts';
import { findFonts } from './find-fonts.ts';
import { openFonts } from './fonts.ts';
import { hasCharacter, readFont, UnusableFont } from './sfnt.ts';

const SHIPPED = ['Noto Sans', 'Noto Sans Arabic', 'Noto Sans Devanagari', 'Noto Sans Hebrew', 'Noto Sans Thai'];

let folder: string;
let regular: Buffer;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-fonts-'));
  regular = await shippedFont('NotoSans', '400Regular');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A folder with files. */
async function folderWith(files: Record<string, Uint8Array | string>): Promise<string> {
  const made = join(folder, `own-${++count}`);
  await mkdir(made);
  for (const [name, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(made, name)), { recursive: true });
    await writeFile(join(made, name), bytes);
  }
  return made;
}

async function fileOf(bytes: Uint8Array): Promise<string> {
  return join(await folderWith({ 'font.ttf': bytes }), 'font.ttf');
}

/** A table of characters with one subtable. @param rest what follows its format */
function tableOf(format: number, rest: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, format]), rest]);
}

const find = async (files: Record<string, Uint8Array | string>) =>
  findFonts({ own: await folderWith(files), system: [] });

describe('the fonts', () => {
  test('are those that are shipped where the operator has none, in every weight', async () => {
    const { files, families, problems } = await findFonts({ own: join(folder, 'nothing'), system: [] });
    expect([families, problems]).toEqual([SHIPPED, []]);
    expect(files).toHaveLength(18 + 4 * 9);
  });

  test('name the Debian package of each script that none of them has, and no script that one of them has', async () => {
    expect((await find({})).missing).toEqual([
      { script: 'Chinese', package: 'fonts-noto-cjk' },
      { script: 'Japanese', package: 'fonts-noto-cjk' },
      { script: 'Korean', package: 'fonts-noto-cjk' },
      { script: 'Emoji', package: 'fonts-noto-color-emoji' },
    ]);
    const { covers } = await readFont(await fileOf(regular), [0x41, 0x3042]);
    expect([...covers]).toEqual([0x41]);
  });

  test('have the characters of their tables in formats 4 and 12', () => {
    const segments = tableOf(
      4,
      Buffer.from([0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0x30, 0x50, 0xff, 0xff, 0, 0, 0x30, 0x40, 0xff, 0xff]),
    );
    expect([0x303f, 0x3040, 0x3050, 0x3051].map((code) => hasCharacter(segments, code))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    const groups = tableOf(
      12,
      Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0xf6, 0, 0, 1, 0xf6, 0x10, 0, 0, 0, 1]),
    );
    expect([0x1f5ff, 0x1f600, 0x1f610, 0x1f611].map((code) => hasCharacter(groups, code))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(hasCharacter(groups.subarray(0, 30), 0x1f600)).toBe(false);
  });

  test('are also those of the operator, in folders and behind links', async () => {
    const own = await folderWith({
      'brand/Nato.TTF': renamed(regular, 'Noto Sans', 'Nato Sans'),
      'README.md': 'fonts',
    });
    await symlink(join(own, 'brand/Nato.TTF'), join(own, 'link.ttf'));
    const { files, families, problems } = await findFonts({ own, system: [] });
    expect([families, problems]).toEqual([['Nato Sans', ...SHIPPED], []]);
    expect(files.filter(({ source }) => source === 'own').map(({ path }) => path)).toEqual([
      join(own, 'brand/Nato.TTF'),
      join(own, 'link.ttf'),
    ]);
  });

  test('are also those of a collection, and of the system where it has them', async () => {
    const collection = collectionOf([
      renamed(regular, 'Noto Sans', 'Nato Sans'),
      renamed(regular, 'Noto Sans', 'Neto Sans'),
    ]);
    const file = join(await folderWith({ 'both.ttc': collection }), 'both.ttc');
    const places = { own: join(folder, 'nothing'), system: [file, '/nowhere/none.ttf'] };
    expect((await findFonts(places)).families).toEqual(['Nato Sans', 'Neto Sans', ...SHIPPED]);
  });

  test('are told from what cannot be used, which is named with the reason', async () => {
    const { families, problems } = await find({
      'a.woff2': 'wOF2 and more bytes',
      'b.woff': 'wOFF and more bytes',
      'c.ttf': 'no font at all',
      'd.otf': regular.subarray(0, 100),
      'e.ttf': '',
      'f.ttf': renamed(regular, 'Noto Sans', 'A, B, C, '),
      'g.ttc': Buffer.from('ttcf\0\x01\0\0\xff\xff\xff\xff', 'latin1'),
      'h.txt': 'not looked at',
    });
    const reasons = problems.map((problem) => problem.replace(/^The font \S+\/(\S+)/, '$1'));
    expect(families).toEqual(SHIPPED);
    expect(reasons).toEqual([
      'a.woff2 is WOFF; only TTF and OTF can be used.',
      'b.woff is WOFF; only TTF and OTF can be used.',
      'c.ttf is no TTF or OTF.',
      'd.otf is broken: it ends too early.',
      'e.ttf is broken: it ends too early.',
      'f.ttf has no usable name.',
      'g.ttc is broken.',
    ]);
  });

  test('need the folder that was named, and no other', async () => {
    await expect(findFonts({ own: join(folder, 'nothing'), isOwnRequired: true })).rejects.toThrow(
      /^FONTS_DIR: expected a folder that can be read, received .*nothing/,
    );
    const file = join(await folderWith({ file: '' }), 'file');
    await expect(findFonts({ own: file })).rejects.toThrow(/^Fonts cannot be read from /);
  });

  test('whose files are cut off anywhere are read or refused', async () => {
    const file = join(await folderWith({ 'a.ttf': '' }), 'a.ttf');
    for (let length = 0; length < 1200; length += 7) {
      await writeFile(file, regular.subarray(0, length));
      await expect(readFont(file)).rejects.toThrow(UnusableFont);
    }
  });
});

describe('the fingerprint', () => {
  const fingerprint = async (files: Record<string, Uint8Array | string>) => (await find(files)).fingerprint;

  test('is the same for the same fonts in another folder', async () => {
    expect(await fingerprint({ 'a.ttf': regular })).toBe(await fingerprint({ 'a.ttf': regular, 'b.txt': 'x' }));
  });

  test('differs with every font more, every other name and every other table', async () => {
    const fingerprints = await Promise.all([
      fingerprint({}),
      fingerprint({ 'a.ttf': regular }),
      fingerprint({ 'b.ttf': regular }),
      fingerprint({ 'a.ttf': renamed(regular, 'Noto Sans', 'Nato Sans') }),
      fingerprint({ 'a.ttf': resized(regular, 2000) }),
    ]);
    expect(new Set(fingerprints).size).toBe(fingerprints.length);
  });
});

describe('what Fontconfig is told', () => {
  test('is written once for the same fonts, by whoever comes first', async () => {
    const links = join(folder, 'links');
    const own = await folderWith({ 'a.ttf': regular });
    const opened = await Promise.all([1, 2, 3].map(() => openFonts({ links: links, own, system: [] })));
    expect(new Set(opened.map(({ configFile }) => configFile)).size).toBe(1);
    expect(await readdir(links)).toHaveLength(1);
    const other = await openFonts({ links: links, own: join(folder, 'nothing'), system: [] });
    expect(other.configFile).not.toBe(opened[0]?.configFile);
    expect(await readdir(links)).toHaveLength(2);
  });
});

/** A collection of fonts. Source: the OpenType specification, "Font Collections". */
function collectionOf(fonts: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(12 + 4 * fonts.length);
  header.write('ttcf');
  header.writeUInt32BE(0x00010000, 4);
  header.writeUInt32BE(fonts.length, 8);
  let start = header.length;
  const moved = fonts.map((font, n) => {
    header.writeUInt32BE(start, 12 + 4 * n);
    const copy = Buffer.from(font);
    for (let table = 0; table < font.readUInt16BE(4); table++) {
      const at = 12 + 16 * table + 8;
      copy.writeUInt32BE(font.readUInt32BE(at) + start, at);
    }
    start += font.length;
    return copy;
  });
  return Buffer.concat([header, ...moved]);
}
