import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groups, ROOT } from '../site/pages.ts';

// Writes llms.txt: the list of pages, for programs. Its links are relative to the root of the repository, and of the
// site.

export const LLMS_FILE = join(ROOT, 'llms.txt');

const ABOUT =
  'A self-hosted media service for websites and apps: upload an image or a video once, and request any size, crop or format ' +
  'through the URL.';

export function llmsText(): string {
  const lists = groups().map(({ title, pages }) => {
    const lines = pages.map(({ path, title: name, start }) => `- [${name}](${path})${start && `: ${start}`}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# Darkroom\n\n> ${ABOUT}\n\n${lists.join('\n')}`;
}

if (import.meta.main) await writeFile(LLMS_FILE, llmsText());
