import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hasCode } from '../errors.ts';
import { type FontPlaces, type FoundFont, type FoundFonts, findFonts, SOURCES } from './find-fonts.ts';
import { configurationOf } from './fontconfig.ts';

/** The fonts that texts are painted with, and no others. */
export interface Fonts extends Omit<FoundFonts, 'files'> {
  /** For render workers: the configuration of Fontconfig that knows these fonts. */
  configFile: string;
}

/** Version of the layout, part of the name of a folder. */
const FORM = 1;

/**
 * Finds the fonts and writes a configuration of Fontconfig with them, next to its cache.
 * @param links folder for links to the fonts. Its content stays for the next start; services may share it.
 * @throws Error when the folder of the operator has to be there and is not, or cannot be read
 */
export async function openFonts({ links, ...places }: FontPlaces & { links: string }): Promise<Fonts> {
  const { files, ...found } = await findFonts(places);
  const paths = files.map(({ path }) => `${path}\n`).join('');
  const name = createHash('sha256').update(`${FORM}\n${found.fingerprint}\n${paths}`).digest('hex').slice(0, 32);
  const target = join(links, name);
  if (!(await exists(target))) await make(target, files);
  return { ...found, configFile: configFileIn(target) };
}

const configFileIn = (folder: string) => join(folder, 'fonts.conf');

/** Creates it under another name and renames it, so that it is complete or absent. */
async function make(target: string, files: readonly FoundFont[]): Promise<void> {
  const making = `${target}-${randomUUID().slice(0, 8)}`;
  try {
    for (const source of SOURCES) await mkdir(join(making, source), { recursive: true });
    await mkdir(join(making, 'cache'));
    // Fontconfig reads a folder in the order of its names.
    await Promise.all(
      files.map(({ path, source }, n) =>
        symlink(path, join(making, source, `${String(n).padStart(5, '0')}-${basename(path)}`)),
      ),
    );
    const folders = SOURCES.map((source) => join(target, source));
    await writeFile(configFileIn(making), configurationOf(folders, join(target, 'cache')));
    await rename(making, target);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    // Another service has created it meanwhile.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    (error) => {
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    },
  );
}
