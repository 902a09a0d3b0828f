import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Delivery URLs of Cloudinary as public code has them: their transformations, versions and forms of names, with other clouds and names.
 * Each line: the URL from `image` or `video` on; the stored file; what it becomes; and of some the picture that the service answers
 * with. What it becomes begins with `=` where it is the same, `-` where something was left out, `~` where something is similar, and
 * `!` before the part that is refused.
 */
export const FOUND_IN_CODE = readFileSync(join(import.meta.dirname, 'cloudinary-urls.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [url = '', file = '', becomes = '', shape = ''] = line.split('\t');
    return { url: `/demo/${url}`, file, becomes, shape };
  });
