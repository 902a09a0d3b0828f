import { createHash } from 'node:crypto';
import { opendir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import { hasCode } from '../errors.ts';
import { readFont, UnusableFont } from './sfnt.ts';

/** The fonts that texts are painted with. */
export interface FoundFonts {
  files: readonly FoundFont[];
  /** Sorted, each once. */
  families: readonly string[];
  /** Scripts whose letters no font has. */
  missing: readonly MissingScript[];
  /** Changes with everything that can change the look of a text. */
  fingerprint: string;
  /** One sentence for each unusable file. */
  problems: readonly string[];
}

/** A script without a font, and the package of Debian that has one. */
export interface MissingScript {
  script: string;
  package: string;
}

export interface FoundFont {
  path: string;
  source: (typeof SOURCES)[number];
}

export interface FontPlaces {
  /** A folder of the operator, which may have folders. */
  own: string;
  /** True if the folder has to exist. */
  isOwnRequired?: boolean;
  /** Fonts of the system; Debian's by default. */
  system?: readonly string[];
}

/** Sources of fonts, in the order of precedence for fonts with the same name. */
export const SOURCES = ['own', 'shipped', 'system'] as const;

const PACKAGES = ['noto-sans', 'noto-sans-arabic', 'noto-sans-devanagari', 'noto-sans-hebrew', 'noto-sans-thai'];

/** Of the packages fonts-noto-cjk and fonts-noto-color-emoji. */
const DEBIAN = [
  '/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc',
  '/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc',
  '/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf',
];

/** Scripts that no shipped font has, each with a letter that a font for it has. */
const SCRIPTS = [
  { script: 'Chinese', package: 'fonts-noto-cjk', probe: 0x4e2d },
  { script: 'Japanese', package: 'fonts-noto-cjk', probe: 0x3042 },
  { script: 'Korean', package: 'fonts-noto-cjk', probe: 0xac00 },
  { script: 'Emoji', package: 'fonts-noto-color-emoji', probe: 0x1f600 },
] as const;
const PROBES = SCRIPTS.map(({ probe }) => probe);

const FONT_NAMES: readonly string[] = ['.ttf', '.otf', '.ttc', '.otc', '.woff', '.woff2'];

/** Entries that are read of one folder, files of other kinds included. */
const MAX_ENTRIES = 10_000;

/**
 * Finds the fonts of the operator, the shipped ones, and some of the system where they exist.
 * @throws Error when the required folder of the operator is missing, or cannot be read
 */
export async function findFonts({ own, isOwnRequired = false, system = DEBIAN }: FontPlaces): Promise<FoundFonts> {
  const problems: string[] = [];
  const [theirs, ...shipped] = await Promise.all([
    listOwn(own, isOwnRequired, problems),
    ...PACKAGES.map((name) => listFonts(folderOf(`@expo-google-fonts/${name}`))),
  ]);
  const candidates = [
    ...theirs.map((path) => ({ path, source: 'own' as const, name: relative(own, path) })),
    ...shipped.flat().map((path) => ({ path, source: 'shipped' as const, name: path })),
    ...system.map((path) => ({ path, source: 'system' as const, name: path })),
  ];
  const read = await Promise.all(candidates.map(async (font) => ({ ...font, says: await tryFont(font, problems) })));
  const usable = read.flatMap(({ says, ...font }) => (says ? [{ ...font, ...says }] : []));
  const lines = usable.map(({ source, name, digest }) => `${source}/${source === 'own' ? name : ''}:${digest}\n`);
  return {
    files: usable.map(({ path, source }) => ({ path, source })),
    families: [...new Set(usable.flatMap(({ families }) => families))].sort(),
    missing: SCRIPTS.filter(({ probe }) => !usable.some(({ covers }) => covers.has(probe))).map(
      ({ script, package: name }) => ({ script, package: name }),
    ),
    fingerprint: createHash('sha256').update(lines.join('')).digest('base64url'),
    problems: problems.sort(),
  };
}

async function tryFont({ path, source }: FoundFont, problems: string[]) {
  try {
    return await readFont(path, PROBES);
  } catch (error) {
    if (error instanceof UnusableFont) problems.push(`The font ${path} ${error.message}.`);
    else if (source === 'own') problems.push(`The font ${path} cannot be read: ${(error as Error).message}.`);
    else if (!hasCode(error, 'ENOENT')) throw error;
    return undefined;
  }
}

async function listOwn(folder: string, isRequired: boolean, problems: string[]): Promise<string[]> {
  try {
    const files = await listFonts(folder);
    if (files.length === MAX_ENTRIES) problems.push(`${folder} has too many files; some of them are not used.`);
    return files;
  } catch (error) {
    if (!isRequired && hasCode(error, 'ENOENT')) return [];
    const what = isRequired
      ? `FONTS_DIR: expected a folder that can be read, received ${folder}`
      : `Fonts cannot be read from ${folder}, a folder in DATA_DIR`;
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** The font files in a folder and its folders, sorted. */
async function listFonts(folder: string): Promise<string[]> {
  const files: string[] = [];
  let count = 0;
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (++count > MAX_ENTRIES) break;
    const isFont = FONT_NAMES.includes(extname(entry.name).toLowerCase());
    if (isFont && !entry.isDirectory()) files.push(join(entry.parentPath, entry.name));
  }
  return files.sort();
}

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}
