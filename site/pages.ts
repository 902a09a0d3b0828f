import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository, which contains the pages. */
export const ROOT = join(import.meta.dirname, '..');

export interface Page {
  /** From the root of the repository: `docs/video.md`. */
  path: string;
  /** Its first heading. */
  title: string;
  /** Its first paragraph, as plain text. */
  start: string;
}

export interface Group {
  title: string;
  pages: Page[];
}

/** Pages in the reading order of a new user. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  Start: [
    'README',
    'docs/dashboard',
    'docs/frameworks',
    'docs/client',
    'docs/command-line',
    'docs/mcp',
    'docs/troubleshooting',
  ],
  Images: [
    'docs/url-reference',
    'docs/watermarks-and-text',
    'docs/cut-outs',
    'docs/animation',
    'docs/facts',
    'docs/formats',
    'docs/encoders',
    'docs/face-detection',
    'docs/url-languages',
  ],
  Videos: ['docs/video', 'docs/streaming', 'docs/previews-and-storyboards'],
  Library: ['docs/storage-api', 'docs/resumable-uploads', 'docs/library', 'docs/webhooks', 'docs/signed-urls'],
  Operate: [
    'docs/deployment',
    'docs/configuration',
    'docs/projects-and-people',
    'docs/behind-a-proxy',
    'docs/cdn',
    'docs/backup-and-upgrade',
    'docs/monitoring',
    'docs/audit-and-usage',
    'docs/security',
    'docs/single-sign-on',
    'docs/storage',
    'docs/cluster',
    'bench/RESULTS',
  ],
  Develop: [
    'docs/api-clients',
    'docs/errors',
    'ARCHITECTURE',
    'CONTRIBUTING',
    'docs/adding-a-parameter',
    'docs/adding-an-endpoint',
    'docs/adding-a-storage-backend',
    'docs/dependencies',
    'SECURITY',
    'CHANGELOG',
  ],
  Migrate: ['docs/migrate/cloudinary', 'docs/migrate/imgproxy', 'docs/migrate/openinary', 'docs/migrate/old-host'],
};

/** Pages that only other pages link to. */
const UNLISTED = ['bench/results', 'docs/decisions'];

const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

/**
 * Returns the pages in the order of the navigation; unlisted ones of `docs` come with their folder, else with
 * `Develop`.
 */
export function groups(): Group[] {
  const all = ['docs', 'docs/migrate'].flatMap(markdownIn);
  const named = Object.values(ORDER)
    .flat()
    .map((name) => `${name}.md`);
  const others = all.filter((path) => !named.includes(path));
  return Object.entries(ORDER).map(([title, names]) => {
    const own = names.map((name) => `${name}.md`).filter((path) => !path.startsWith('docs/') || all.includes(path));
    const further = others.filter((path) => (path.startsWith('docs/migrate/') ? 'Migrate' : 'Develop') === title);
    return { title, pages: [...own, ...further].map(readPage) };
  });
}

/** Returns every page of the site. */
export function allPages(): string[] {
  const listed = groups().flatMap(({ pages }) => pages.map(({ path }) => path));
  return [...listed, ...UNLISTED.flatMap(markdownIn)];
}

function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8').replace(/^```.*?^```$/gms, '');
  const [, title = path] = /^# (.*)$/m.exec(text) ?? [];
  // The first lines other than a heading, list or table.
  const [, paragraph = ''] = /^((?![#|<-]).+)$/m.exec(text) ?? [];
  return { path, title: plain(title), start: firstSentence(plain(paragraph)) };
}

/** Returns Markdown without links and emphasis. */
function plain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`/g, '')
    .trim();
}

function firstSentence(text: string): string {
  const end = /(?<!\.)\.(?= )/.exec(text)?.index ?? text.length;
  return text.slice(0, end + 1).replace(/:$/, '.');
}
