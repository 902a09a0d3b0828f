import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const DIST = join(import.meta.dirname, '..', '..', 'web', 'dist');
/** Budgets use powers of ten. */
const KB = 1000;

const page = await readFile(join(DIST, 'index.html'), 'utf8');
const assets = await readdir(join(DIST, 'assets'));
/** Scripts of the first load: those of the page and everything they import. */
const first = await reached([...page.matchAll(/(?:src|href)="\.\/assets\/([^"]+)"/g)].map(([, name = '']) => name));

async function reached(names: readonly string[], known = new Set<string>()): Promise<Set<string>> {
  for (const name of names) {
    if (known.has(name)) continue;
    known.add(name);
    const text = name.endsWith('.js') ? await readFile(join(DIST, 'assets', name), 'utf8') : '';
    const imports = [...text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)].map(([, file = '']) => file);
    await reached(imports, known);
  }
  return known;
}

/** Compressed bytes as sent. */
async function weigh(names: Iterable<string>, kind: string, encoding: 'gz' | 'br' = 'gz'): Promise<number> {
  let sum = 0;
  for (const name of names) {
    if (!name.endsWith(kind)) continue;
    const file = join(DIST, 'assets', name);
    sum += (await stat(`${file}.${encoding}`).catch(() => stat(file))).size;
  }
  return sum;
}

test('the library is 190 KB of scripts at most with gzip, and 170 KB with Brotli', async () => {
  const texts = await Promise.all([...first].map((name) => readFile(join(DIST, 'assets', name), 'utf8')));
  // The grid of files is part of the first load, which is the library.
  expect(texts.join()).toContain('aria-multiselectable');
  expect(await weigh(first, '.js')).toBeLessThan(190 * KB);
  expect(await weigh(first, '.js', 'br')).toBeLessThan(170 * KB);
});

test('each further page is 35 KB of scripts at most', async () => {
  for (const name of assets.filter((one) => /-page-.*\.js$/.test(one))) {
    const own = [...(await reached([name]))].filter((one) => !first.has(one));
    expect([name, (await weigh(own, '.js')) < 35 * KB]).toEqual([name, true]);
  }
});

test('the style sheets of the library are 10 KB at most, those of a further page 6 KB', async () => {
  expect(await weigh(first, '.css')).toBeLessThan(10 * KB);
  for (const name of assets.filter((one) => one.endsWith('.css') && !first.has(one)))
    expect([name, (await weigh([name], '.css')) < 6 * KB]).toEqual([name, true]);
});

test('the first load is 200 KB at most', async () => {
  const document = gzipSync(page).length;
  expect(document + (await weigh(first, '.js')) + (await weigh(first, '.css'))).toBeLessThan(200 * KB);
});

test('React is built for people who use the page, not for those who write it', async () => {
  for (const name of assets.filter((one) => one.endsWith('.js')))
    expect([name, /Warning: |react-dom\.development/.test(await readFile(join(DIST, 'assets', name), 'utf8'))]).toEqual(
      [name, false],
    );
});
