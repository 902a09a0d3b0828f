import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { allPages, ROOT } from '../../site/pages.ts';

/** Base path of the site, as behind a proxy. */
const BASE = '/manual/';

const found = inject('site');

describe.skipIf('missing' in found)('the site of the documentation', () => {
  let out: string;
  let pages: { file: string; html: string }[];
  beforeAll(async () => {
    out = await mkdtemp(join(tmpdir(), 'darkroom-site-'));
    const env = { ...process.env, SITE_BASE: BASE, SITE_OUT: out };
    // The build fails if a link to a page or to a heading's page is broken.
    await promisify(execFile)(process.execPath, [join(ROOT, 'scripts', 'site.ts')], { env });
    pages = readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html') && file !== '404.html')
      .map((file) => ({ file, html: readFileSync(join(out, file), 'utf8') }));
  });
  afterAll(() => rm(out, { recursive: true, force: true }));

  test('has every page, with the README first', () => {
    const expected = allPages().map((path) => (path === 'README.md' ? 'index.html' : path.replace(/md$/, 'html')));
    expect(pages.map(({ file }) => file).toSorted()).toEqual(expected.toSorted());
    expect(pages.find(({ file }) => file === 'index.html')?.html).toContain('<h1 id="darkroom"');
  });

  test('has whatever its pages name: other pages, headings, pictures, scripts, files of the repository', () => {
    const missing = pages.flatMap(({ file, html }) =>
      namedIn(html)
        .filter((address) => !leadsSomewhere(file, address))
        .map((address) => `${file}: ${address}`),
    );
    expect(missing).toEqual([]);
    expect(pages.flatMap(({ html }) => namedIn(html)).length).toBeGreaterThan(1000);
  });

  test('has code whose colours are legible in both themes', () => {
    const grounds = { light: '#f6f6f7', dark: '#161618' };
    for (const [theme, ground] of Object.entries(grounds)) {
      const found = pages.flatMap(({ html }) => [
        ...html.matchAll(new RegExp(`--shiki-${theme}:(#[0-9A-Fa-f]{6})`, 'g')),
      ]);
      const colours = [...new Set(found.map(([, colour = '']) => colour.toLowerCase()))];
      expect(colours.length).toBeGreaterThan(3);
      expect(colours.filter((colour) => contrastOf(colour, ground) < 4.5)).toEqual([]);
    }
  });

  test('loads nothing from elsewhere', () => {
    const loaded = pages.flatMap(({ html }) => [...html.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)]);
    expect(loaded.map(([, address]) => address).filter((address) => /^https?:/.test(address ?? ''))).toEqual([]);
  });

  test('has llms.txt and the pages as they were written, for programs', () => {
    const links = [...readFileSync(join(out, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(
      ([, path = '']) => path,
    );
    expect(links).toContain('docs/url-reference.md');
    expect(links.filter((path) => !existsSync(join(out, path)))).toEqual([]);
  });

  /** Returns the URLs of the same site in a page. */
  function namedIn(html: string): string[] {
    const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    return addresses.filter((address) => !/^(?:[a-z]+:|\/\/)/.test(address));
  }

  function leadsSomewhere(file: string, address: string): boolean {
    const { pathname, hash } = new URL(address.replaceAll('&amp;', '&'), `http://site${BASE}${file}`);
    if (!pathname.startsWith(BASE)) return false;
    const path = decodeURIComponent(pathname.slice(BASE.length)) || 'index.html';
    if (!existsSync(join(out, path))) return false;
    if (hash === '' || !path.endsWith('.html')) return true;
    const target = pages.find((page) => page.file === path)?.html ?? '';
    return target.includes(`id="${decodeURIComponent(hash.slice(1))}"`);
  }
});

/** Relative luminance of a colour by WCAG. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}
