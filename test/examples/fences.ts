import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../source-files.ts';

/** An executable example of a page: ```` ```sh test ````. */
export interface Fence {
  /** Number of its first line. */
  line: number;
  text: string;
}

/**
 * Returns the examples of a page in one language that are marked with `test`.
 * @param page from the root of the repository
 */
export async function examplesOf(page: string, language = 'sh'): Promise<Fence[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  const fences = text.matchAll(new RegExp(`^\`\`\`${language} test\\n(.*?)^\`\`\`$`, 'gms'));
  return [...fences].map(({ index, 1: inside = '' }) => ({
    line: text.slice(0, index).split('\n').length + 1,
    text: inside,
  }));
}
