import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parsePath } from '../../src/path.ts';
import { variantFolder } from '../../src/storage/cache/variant-key.ts';

/** A thousand variants exceed a megabyte a little: a cache of as many megabytes has to evict a tenth. */
export const VARIANT_BYTES = 1049;
/** Of each original. */
export const CONTENT = Buffer.alloc(100, 'x');

const VARIANTS_PER_ORIGINAL = 10;
const FILES_PER_FOLDER = 100;

/** Creates sparse files in the layout of the cache. */
export function createVariants(folder: string, count: number): void {
  for (let n = 0; n < count / VARIANTS_PER_ORIGINAL; n++) {
    const variants = join(folder, variantFolder(parsePath(`${n}.jpg`)));
    mkdirSync(variants, { recursive: true });
    for (let variant = 0; variant < VARIANTS_PER_ORIGINAL; variant++) {
      const file = openSync(join(variants, `${variant}`.padStart(40, '0')), 'wx');
      ftruncateSync(file, VARIANT_BYTES);
      closeSync(file);
    }
  }
}

export function createOriginals(folder: string, count: number): void {
  for (const path of originalsOf(count)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, CONTENT);
  }
}

/** Yields the paths of a file in the folder `other`, and of many below the folder `old`. */
export function* originalsOf(count: number): Generator<string> {
  yield 'other/a.jpg';
  for (let n = 0; n < count; n++) yield `old/${Math.floor(n / FILES_PER_FOLDER)}/image ${n}.jpg`;
}
