import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGuide } from '../../src/http/openapi/guide.ts';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { ROOT } from '../source-files.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const NAMES = ['', 'migrate/'].flatMap((folder) =>
  readdirSync(join(ROOT, 'docs', folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => folder + file.slice(0, -3)),
);
const INDEX = '/api/docs/guide';
const read = async (path: string) => {
  const { status, headers, body } = await ask(service.url, path);
  return { status, headers, html: body.toString() };
};
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);

test('every page of docs/ is served, listed, and leads only to pages and headings that there are', async () => {
  const index = await read(INDEX);
  const pages = new Map([
    [INDEX, index],
    ['/api/docs', await read('/api/docs')],
  ]);
  for (const name of NAMES) pages.set(`${INDEX}/${name}`, await read(`${INDEX}/${name}`));
  const wrong: string[] = [];
  for (const [path, { status, html }] of pages) {
    if (status !== 200) wrong.push(`${path} is ${status}`);
    if (new Set(idsOf(html)).size !== idsOf(html).length) wrong.push(`${path} has an id twice`);
    for (const [, href = ''] of html.matchAll(/href="([^"]+)"/g)) {
      // The API reference also leads to endpoints.
      if (/^https?:/.test(href) || href === 'openapi.json' || (path === '/api/docs' && href.startsWith('../')))
        continue;
      const [file = '', anchor] = href.split('#');
      const target = file === '' ? path : posix.join(posix.dirname(path), file);
      const found = pages.get(target);
      if (found === undefined) wrong.push(`${path}: ${href}`);
      else if (anchor !== undefined && !idsOf(found.html).includes(anchor))
        wrong.push(`${path}: ${href} is no heading`);
    }
  }
  expect(wrong).toEqual([]);
  for (const name of NAMES) expect(index.html).toContain(`href="guide/${name}"`);
});

test('nothing of the Markdown is left', async () => {
  for (const name of NAMES) {
    const { html } = await read(`${INDEX}/${name}`);
    const prose = html.replace(/<(pre|code|style)>.*?<\/\1>/gs, '');
    expect([name, /\]\(|\*\*|^#|\|--|^- |`/m.exec(prose)?.[0]]).toEqual([name, undefined]);
    expect([name, /<title>(.*?) · Darkroom<\/title>/.exec(html)?.[1]]).toEqual([name, expect.stringMatching(/\w/)]);
  }
});

test('an address that ends with a slash leads to the list, also behind a proxy with a prefix', async () => {
  const { status, headers } = await read(`${INDEX}/`);
  expect([status, headers.location]).toEqual([302, '../guide']);
});

test('a failed read is tried again', async () => {
  const root = await mkdtemp(join(tmpdir(), 'darkroom-guide-'));
  try {
    const guide = createGuide(root);
    await expect(guide.read('page')).rejects.toThrow('ENOENT');
    await mkdir(join(root, 'docs/migrate'), { recursive: true });
    await mkdir(join(root, 'docs/page.md'));
    await writeFile(join(root, 'llms.txt'), '');
    expect(await guide.read('other')).toBeUndefined();
    await expect(guide.read('page')).rejects.toThrow('EISDIR');
    await rmdir(join(root, 'docs/page.md'));
    await writeFile(join(root, 'docs/page.md'), '# A page');
    expect((await guide.read('page'))?.title).toBe('A page · Darkroom');
  } finally {
    await rm(root, { recursive: true });
  }
});

test('a page runs no script and loads nothing, and other names are 404', async () => {
  const { headers, html } = await read(`${INDEX}/signed-urls`);
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  expect(html).not.toMatch(/<script|<link|<iframe|<img|style="/i);
  for (const name of [
    'nothing',
    '..%2fREADME',
    '%2e%2e/README',
    'decisions/0001-render-processes',
    'library.md',
    'constructor',
  ]) {
    const { status, body } = await ask(service.url, `${INDEX}/${name}`);
    expect([name, status]).toEqual([name, 404]);
    if (name === 'nothing') expect(JSON.parse(body.toString())).toMatchObject({ code: 'not_found' });
  }
});
