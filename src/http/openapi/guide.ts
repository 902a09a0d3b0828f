import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { html, type Page } from '../transport/html.ts';
import { type Heading, type MarkdownOptions, renderMarkdown } from './markdown.ts';

/** Root of the repository, or of the installed package. */
const ROOT = join(import.meta.dirname, '../../..');
/** Pages of these folders are part of the guide. */
const FOLDERS = ['', 'migrate'];
/** A page with fewer sections needs no list of them. */
const MIN_SECTIONS = 3;

export interface Guide {
  /** Returns the page of a name, `migrate/imgproxy`, or the list of all pages for an empty one; undefined for none. */
  read(name: string): Promise<Page | undefined>;
}

/** Serves `docs/` as pages, rendered on first use. Names come from the folder, never from a request. */
export function createGuide(root: string = ROOT): Guide {
  const pages = new Map<string, Page>();
  let names: ReadonlySet<string> | undefined;
  return {
    async read(name) {
      names ??= await namesIn(join(root, 'docs'));
      if (name !== '' && !names.has(name)) return undefined;
      const page = pages.get(name) ?? (await (name === '' ? renderIndex(root, names) : renderPage(root, name, names)));
      pages.set(name, page);
      return page;
    },
  };
}

async function namesIn(docs: string): Promise<ReadonlySet<string>> {
  const names = FOLDERS.map(async (folder) => {
    const files = await readdir(join(docs, folder));
    return files.filter((file) => file.endsWith('.md')).map((file) => posix.join(folder, file.slice(0, -3)));
  });
  return new Set((await Promise.all(names)).flat());
}

async function renderPage(root: string, name: string, names: ReadonlySet<string>): Promise<Page> {
  const text = await readFile(join(root, 'docs', `${name}.md`), 'utf8');
  const up = '../'.repeat(name.split('/').length);
  const link: MarkdownOptions['link'] = (href) => {
    if (/^(?:https?:|#)/.test(href)) return href;
    const [, path = '', anchor = ''] = /^(.*)\.md(#.*)?$/.exec(href) ?? [];
    return names.has(posix.join(posix.dirname(name), path)) ? `${path}${anchor}` : undefined;
  };
  const { body, headings } = renderMarkdown(text, { link, hasAnchors: true });
  const sections = headings.filter(({ level }) => level === 2);
  return {
    title: `${titleOf(headings)} · Darkroom`,
    style: STYLE,
    body: html`<nav class="top"><a href="${up}guide">Documentation</a><a href="${up}../docs">API reference</a></nav>
${body.slice(0, 1)}
${sections.length < MIN_SECTIONS ? '' : html`<nav aria-label="On this page">${sections.map(({ id, text: title }) => html`<a href="#${id}">${title}</a>`)}</nav>`}
${body.slice(1)}`,
  };
}

/** Lists the pages with their first sentences, as `llms.txt` does for programs. */
async function renderIndex(root: string, names: ReadonlySet<string>): Promise<Page> {
  const text = await readFile(join(root, 'llms.txt'), 'utf8');
  const nameOf = (href: string) => /^docs\/(.*)\.md$/.exec(href)?.[1] ?? '';
  const lines = text.split('\n').filter((line) => {
    const [, href] = /^- \[[^\]]*\]\(([^)]*)\)/.exec(line) ?? [];
    return href === undefined || names.has(nameOf(href));
  });
  const { body } = renderMarkdown(lines.slice(1).join('\n').replaceAll(/^> /gm, ''), {
    link: (href) => `guide/${nameOf(href)}`,
  });
  return {
    title: 'Documentation · Darkroom',
    style: STYLE,
    body: html`<nav class="top"><a href="../docs">API reference</a></nav><h1>Documentation</h1>${body}`,
  };
}

const titleOf = ([first]: readonly Heading[]) => first?.text ?? 'Documentation';

const STYLE = `
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 1rem 0 1.5rem; font-size: 0.9rem; }
nav a { padding: 0.2rem 0; }
.top { margin: 0 0 1.5rem; }
main { max-width: 54rem; }
h2, h3, h4 { scroll-margin-top: 1rem; }
h3 { margin: 1.75rem 0 0.5rem; font-size: 1.05rem; }
p, li { max-width: 46rem; }
li + li { margin-top: 0.35rem; }
table { width: 100%; margin: 1rem 0; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.5rem 1rem 0.5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: break-word; }
td:not(:last-child) code { overflow-wrap: break-word; }
th { color: var(--quiet); font-weight: 500; }
code { font-size: 0.85em; }
@media (max-width: 60rem) {
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { padding: 0.6rem 0; border-top: 1px solid var(--line); }
  td { padding: 0.1rem 0; border: 0; }
}
`;
