// Writes THIRD_PARTY_NOTICES: the third-party software in the image and in the package, each with its licence. Usage:
// node scripts/third-party-notices.ts [file]
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { buildDashboard, PACKAGES } from './dashboard.mjs';

const ROOT = dirname(import.meta.dirname);
const LICENCES = join(import.meta.dirname, 'licences');
const LICENCE_FILE = /^(?:un)?licen[cs]e|^copying|^copyright|^notice|^third.?party/i;
const CODE = /\.(?:[cm]?[jt]sx?|json|map)$/i;
/** Minimum length: a heading alone is no licence. */
const MIN_TEXT_LENGTH = 200;

interface PackageFile {
  name: string;
  version: string;
  license?: string;
  author?: string | { name?: string };
  repository?: string | { url?: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** A third-party work. */
export interface Component {
  name: string;
  version: string;
  /** SPDX identifier. */
  licence: string;
  source: string;
  /** Information missing from the licence texts. */
  note: string;
  /** At least one. */
  texts: string[];
}

/** Contents of packages that their own files do not name. */
const CONTENTS: Readonly<Record<string, { note: string; file: string }>> = {
  '@hyzyla/pdfium': {
    note: 'Contains PDFium, compiled to WebAssembly. The notices of what PDFium is built with (FreeType, libjpeg-turbo, Little CMS, OpenJPEG, zlib and others) are in the folder third_party of its source: https://pdfium.googlesource.com/pdfium',
    file: 'PDFium.txt',
  },
  'libheif-js': {
    note: 'Contains libheif and libde265 (LGPL-3.0-or-later), compiled to WebAssembly. Their source: https://github.com/strukturag/libheif, https://github.com/strukturag/libde265',
    file: 'GPL-3.0.txt',
  },
};

/**
 * Returns everything that is shipped, by name. The dashboard must be built.
 * @throws Error for a package without a licence text
 */
export function findComponents(): Component[] {
  const folders = new Set<string>();
  const { dependencies, optionalDependencies } = packageAt(ROOT);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) addPackage(name, ROOT, folders);
  const packages = [...folders, ...packagesOfDashboard()].map(packageComponent);
  // A package may be in several locations.
  const components = new Map([...packages, ...ownComponents()].map((one) => [`${one.name} ${one.version}`, one]));
  return [...components.values()].sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** Returns the notices as one text; licence texts shared by several components occur once. */
export function writeNotices(components: readonly Component[]): string {
  const texts = [...new Set(components.flatMap((component) => component.texts))];
  const list = components.map(({ name, version, licence, source, note, texts: own }) => {
    const numbers = own.map((text) => `[${texts.indexOf(text) + 1}]`).join(' ');
    const lines = [
      `${[name, version].filter(Boolean).join(' ')}: ${licence} ${numbers}`,
      source && `  ${source}`,
      note && `  ${note}`,
    ];
    return lines.filter((line) => line !== '').join('\n');
  });
  const line = '-'.repeat(80);
  const chapters = texts.map((text, index) => {
    const users = components.filter((component) => component.texts.includes(text));
    return `${line}\n[${index + 1}] ${users.map(({ name }) => name).join(', ')}\n${line}\n\n${text}\n`;
  });
  return `Third-party notices\n\nDarkroom contains the software below, or is installed with it. Behind each name are its version, its licence and the\nnumbers of the texts that follow. Packages that exist for several systems are named for the system of this build.\n\n${list.join('\n')}\n\n${chapters.join('\n')}`;
}

/** Adds an installed package and its dependencies. Optional packages of other systems are not installed. */
function addPackage(name: string, from: string, folders: Set<string>): void {
  const folder = resolvePackage(name, from);
  if (folder === undefined || folders.has(folder)) return;
  folders.add(folder);
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = packageAt(folder);
  const peers = Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  for (const needed of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
    addPackage(needed, folder, folders);
  }
}

function resolvePackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === ROOT) return undefined;
  }
}

/** Returns the folders of packages bundled into the dashboard: development packages, but shipped. */
function packagesOfDashboard(): string[] {
  const folders: string[] = JSON.parse(readFileSync(PACKAGES, 'utf8'));
  return folders.map((folder) => join(ROOT, folder));
}

function packageComponent(folder: string): Component {
  const { name, version, license = '', repository } = packageAt(folder);
  const source = (typeof repository === 'string' ? repository : repository?.url) ?? '';
  const { texts, note } = textsOf(folder);
  const contents = CONTENTS[name];
  if (contents) texts.push(readLicence(contents.file));
  const isLesser = /\bLGPL-3\.0/.test(license);
  if (isLesser) texts.push(readLicence('LGPL-3.0.txt'), readLicence('GPL-3.0.txt'));
  return {
    name,
    version,
    licence: license,
    source: source.replace(/^git\+|\.git$/g, ''),
    note: [contents?.note, note].filter(Boolean).join(' '),
    texts: [...new Set(texts)],
  };
}

/** @throws Error for a package without a licence text whose licence has none here */
function textsOf(folder: string): { texts: string[]; note: string } {
  const found = licenceFiles(folder).map((file) => readText(file));
  if (found.length > 0) return { texts: found, note: '' };
  const section = licenceSection(folder);
  if (section !== undefined) return { texts: [section], note: 'The licence is a section of its README.' };
  const { name, license = '', author } = packageAt(folder);
  const authors = (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`;
  if (!existsSync(join(LICENCES, `${license}.txt`))) {
    throw new Error(`${relative(ROOT, folder)} has no licence text, and scripts/licences has none of "${license}".`);
  }
  const note = `The package has no licence text. Its package.json names the licence and, as its author: ${authors}.`;
  return { texts: [readLicence(`${license}.txt`)], note };
}

/** Lists the licence files below the folder of a package, excluding nested packages. */
function licenceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : licenceFiles(path);
      return LICENCE_FILE.test(entry.name) && !CODE.test(entry.name) ? [path] : [];
    });
}

function licenceSection(folder: string): string | undefined {
  const name = readdirSync(folder).find((file) => /^readme(?:\.md)?$/i.test(file));
  if (name === undefined) return undefined;
  const [, section = ''] = /^#+ *licen[cs].*\n([\s\S]*?)(?=^#|(?![\s\S]))/im.exec(readText(join(folder, name))) ?? [];
  return section.length >= MIN_TEXT_LENGTH ? section.trim() : undefined;
}

/** Sample pictures that others have made. The other samples were drawn for Darkroom. */
function samples(): Component[] {
  const folder = 'web/public/samples';
  return [
    {
      name: 'portrait.jpg',
      version: '',
      licence: 'MIT',
      source: 'https://github.com/thumbor/thumbor',
      note: 'A sample picture of the dashboard.',
      texts: [readText(join(ROOT, folder, 'portrait.LICENSE.txt'))],
    },
    {
      name: 'workshop.jpg',
      version: '',
      licence: 'Apache-2.0',
      source: 'https://github.com/lovell/sharp',
      note: 'A sample picture of the dashboard, made smaller.',
      texts: [readLicence('Apache-2.0.txt')],
    },
  ];
}

/** Returns the third-party works in `src/`, `packages/` and `web/public/`. */
function ownComponents(): Component[] {
  const model = 'src/image/cutout';
  const cascades = 'packages/faces/src/cascades';
  const source = 'https://github.com/google-ai-edge/mediapipe';
  const common = { version: '', note: '' };
  const opencv = ['haarcascade_frontalface_alt.xml.gz', 'haarcascade_profileface.xml.gz'].map((file) => ({
    ...common,
    name: file,
    licence: 'Intel License Agreement For Open Source Computer Vision Library',
    source: 'https://github.com/opencv/opencv',
    texts: [headOfXml(join(ROOT, cascades, file))],
  }));
  return [
    ...opencv,
    ...samples(),
    {
      ...common,
      name: 'selfie_segmentation.tflite',
      licence: 'Apache-2.0',
      source,
      texts: [readText(join(ROOT, model, 'selfie_segmentation.LICENSE'))],
    },
    {
      ...common,
      name: 'face_detection_full_range.tflite',
      licence: 'Apache-2.0',
      source,
      texts: [readText(join(ROOT, cascades, 'face_detection_full_range.LICENSE'))],
    },
    {
      ...common,
      name: 'press-cmyk.icc',
      licence: 'public domain',
      source: 'https://www.argyllcms.com',
      texts: ['A profile by Graeme W. Gill, who has put it into the public domain. Changed for Darkroom.'],
    },
  ];
}

/** Returns the comment at the top of a cascade. */
function headOfXml(file: string): string {
  const [, comment = ''] = /<!--([\s\S]*?)-->/.exec(gunzipSync(readFileSync(file)).toString('latin1')) ?? [];
  return comment.trim();
}

function readLicence(file: string): string {
  return readText(join(LICENCES, file));
}

function readText(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/\r\n?/g, '\n')
    .replace(/^\ufeff/, '')
    .replace(/^\n+|\s+$/g, '');
}

function packageAt(folder: string): PackageFile {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildDashboard();
  const target = process.argv[2] ?? join(ROOT, 'THIRD_PARTY_NOTICES');
  writeFileSync(target, writeNotices(findComponents()));
}
