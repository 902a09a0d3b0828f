import { extname } from 'node:path';

/** True in the npm package, which contains JavaScript instead of the source. */
const IS_PACKED = extname(import.meta.url) === '.js';

/** Commands that start the service and its tools for operators. */
export const [START, ADMIN] = IS_PACKED ? ['darkroom start', 'darkroom admin'] : ['npm start --', 'npm run admin --'];

/**
 * Returns the file of a thread or process, which no import names.
 * @param name without its extension, as seen from the importing file: `./worker`
 * @param importer `import.meta.url` of that file
 */
export function programFile(name: string, importer: string): URL {
  return new URL(`${name}${extname(importer)}`, importer);
}
