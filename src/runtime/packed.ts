import { extname } from 'node:path';

/** Whether this is the package that npm packs, as JavaScript, and not the source. */
const IS_PACKED = extname(import.meta.url) === '.js';

/** How people call the service and its commands for operators. */
export const [START, ADMIN] = IS_PACKED ? ['darkroom start', 'darkroom admin'] : ['npm start --', 'npm run admin --'];

/**
 * The file of a thread or of a process, which no import names.
 * @param name without its extension, as seen from the importing file: `./worker`
 * @param importer `import.meta.url` of that file
 */
export function programFile(name: string, importer: string): URL {
  return new URL(`${name}${extname(importer)}`, importer);
}
