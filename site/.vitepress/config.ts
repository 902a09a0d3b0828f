import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type MarkdownIt from 'markdown-it';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitepress';
import { resolveLink } from '../links.ts';
import { allPages, groups, ROOT } from '../pages.ts';

const { SITE_BASE = '/', SITE_REPOSITORY, SITE_OUT = join(import.meta.dirname, 'dist') } = process.env;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#c2410c"/><circle cx="16" cy="16" r="8" fill="#fff"/></svg>';

const pages = allPages();
/** Linked files that the site must include. */
const files = new Set<string>();

const address = (path: string) => `/${path === 'README.md' ? '' : path.replace(/\.md$/, '')}`;

/** Redirects links to files other than pages to the repository, or to a copy of the file. */
function leadOut(markdown: MarkdownIt): void {
  markdown.core.ruler.push('lead-out', ({ tokens, env }) => {
    const page = relative(ROOT, env.path);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue;
      const link = resolveLink(page, token.attrGet('href') ?? '', { pages, repository: SITE_REPOSITORY });
      if (link.kind === 'as-written') continue;
      if (link.kind === 'file') files.add(link.path);
      token.attrSet('href', link.kind === 'file' ? `${SITE_BASE}${link.path}` : link.href);
      // With a target the link remains as it is; VitePress would search for a page.
      token.attrSet('target', '_blank');
    }
  });
}

/** Resolves Vue for the pages, which are outside this folder and so cannot find it. */
const vueFromHere: Plugin = {
  name: 'vue-from-here',
  enforce: 'pre',
  resolveId: (id, _from, { ssr }) => (ssr && /^vue(?:\/|$)/.test(id) ? { id, external: true } : undefined),
};

function foldersWithoutPages(): string[] {
  const withPages = pages.map((page) => page.split('/')[0]);
  return readdirSync(ROOT)
    .filter((name) => !withPages.includes(name))
    .map((name) => `${name}/**`);
}

export default defineConfig({
  title: 'Darkroom',
  description: 'Self-hosted media service: upload once, request any size, crop or format through the URL.',
  lang: 'en',
  base: SITE_BASE,
  srcDir: ROOT,
  srcExclude: foldersWithoutPages(),
  rewrites: { 'README.md': 'index.md' },
  outDir: SITE_OUT,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  metaChunk: true,
  // Unsupported languages look like highlighted ones.
  // The usual colours of code have too little contrast for small text.
  markdown: {
    config: leadOut,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { caddyfile: 'nginx', vcl: 'c' },
  },
  themeConfig: {
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Search excludes tables of measurements, which contain every word.
        _render: (text, env, markdown) => (env.relativePath.startsWith('bench/') ? '' : markdown.render(text, env)),
      },
    },
    nav: groups().map(({ title, pages: [first] }) => ({ text: title, link: address(first?.path ?? '') })),
    sidebar: groups().map(({ title, pages: list }) => ({
      text: title,
      items: list.map((page) => ({
        text: page.path === 'README.md' ? 'Introduction' : page.title,
        link: address(page.path),
      })),
    })),
    ...(SITE_REPOSITORY && { socialLinks: [{ icon: 'github', link: SITE_REPOSITORY }] }),
  },
  vite: { plugins: [vueFromHere] },
  // Programs read the pages as Markdown; llms.txt lists them.
  buildEnd({ outDir }) {
    for (const file of [...pages, ...files, 'llms.txt']) {
      const copy = join(outDir, file);
      mkdirSync(dirname(copy), { recursive: true });
      cpSync(join(ROOT, file), copy);
    }
  },
});
