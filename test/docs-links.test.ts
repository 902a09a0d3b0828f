import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './source-files.ts';

const LINK = /\]\(([^)\s]+)\)/g;

const markdownIn = (folder: string, recursive: boolean) =>
  readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules/'))
    .map((file) => join(folder, file));
const pages = [
  ...markdownIn('', false),
  ...['bench', 'deploy', 'docs', 'packages', 'src', 'test'].flatMap((folder) => markdownIn(folder, true)),
];

const proseOf = (page: string) => readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** Returns the anchors of a page: its headings, as GitHub writes them. */
function anchorsOf(page: string): string[] {
  const headings = [...proseOf(page).matchAll(/^#{1,6} (.*)$/gm)].map(([, text = '']) =>
    text
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
  return headings.map((name, at) => {
    const before = headings.slice(0, at).filter((one) => one === name).length;
    return before === 0 ? name : `${name}-${before}`;
  });
}

function problemWith(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(ROOT, target))) return `${page}: ${link} is not there`;
  return anchor !== undefined && !anchorsOf(target).includes(anchor) ? `${page}: ${link} is no heading` : undefined;
}

test('every link of a page to another one, or to a heading, leads there', () => {
  const links = pages.flatMap((page) => [...proseOf(page).matchAll(LINK)].map(([, link = '']) => ({ page, link })));
  const inside = links.filter(({ link }) => !/^[a-z]+:/.test(link));
  expect(inside.length).toBeGreaterThan(100);
  expect(inside.map(({ page, link }) => problemWith(page, link)).filter((problem) => problem !== undefined)).toEqual(
    [],
  );
});

test('README leads to every page of docs/', () => {
  const named = [...proseOf('README.md').matchAll(LINK)].map(([, link]) => link);
  expect(pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && !named.includes(page))).toEqual([]);
});
