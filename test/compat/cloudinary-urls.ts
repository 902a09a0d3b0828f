import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Delivery URLs of Cloudinary as found in public code: their transformations, versions and name formats, with other
 * clouds and names. Each line: the URL from `image` or `video` on; the stored file; the converted URL; and for some the
 * image in the service's response. The converted URL begins with `=` if equivalent, `-` if something was left out, `~`
 * if similar, and `!` before the rejected part.
 */
export const FOUND_IN_CODE = readFileSync(join(import.meta.dirname, 'cloudinary-urls.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [url = '', file = '', becomes = '', shape = ''] = line.split('\t');
    return { url: `/demo/${url}`, file, becomes, shape };
  });
