import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './source-files.ts';

const WEB = join(ROOT, 'web', 'src');
/** Every room may enter them. */
const SHARED = ['parts', 'api', 'words'];
/** Shared with other programs: how URLs are written, and the types of the API. */
const CLIENT = '../../packages/client/src/';
/** What puts the rooms together; no room imports it. */
const ROOF = ['main.tsx', 'router.tsx', 'shell'];

const files = readdirSync(WEB, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(WEB, join(parentPath, name)));
const texts = new Map(files.map((file) => [file, readFileSync(join(WEB, file), 'utf8')]));
const sources = files.filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
const imports = sources.flatMap((from) =>
  [...(texts.get(from) ?? '').matchAll(/(?:^(?:import|export)\s[^'"]*?|\bimport\()'([^']+)'/gms)].map(
    ([, to = '']) => ({
      from,
      to: to.startsWith('.') ? relative(WEB, join(WEB, dirname(from), to)) : to,
    }),
  ),
);

const roomOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file);
const shown = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`;

describe('the rooms of the dashboard', () => {
  test('are all seen by these tests', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(imports.filter(({ to }) => texts.has(to)).length).toBeGreaterThan(40);
  });

  test('import themselves, the shared parts and packages, and nothing else', () => {
    const broken = imports.filter(({ from, to }) => {
      const [own, other] = [roomOf(from), roomOf(to)];
      if (!texts.has(to)) return to.startsWith('..') && !to.startsWith(CLIENT);
      return own !== other && !SHARED.includes(other) && !ROOF.includes(own);
    });
    expect(broken.map(shown)).toEqual([]);
  });

  test('are drawn by parts that know the words and the errors, and no endpoint', () => {
    const known = ['words/en.ts', 'api/error.ts', 'api/base.ts'];
    const broken = imports.filter(
      ({ from, to }) => roomOf(from) === 'parts' && texts.has(to) && roomOf(to) !== 'parts' && !known.includes(to),
    );
    expect(broken.map(shown)).toEqual([]);
  });

  test('ask the service through api/ alone', () => {
    const asking = sources.filter((file) => /\bfetch\(|new (XMLHttpRequest|EventSource)\(/.test(texts.get(file) ?? ''));
    expect(asking.filter((file) => !file.startsWith('api/'))).toEqual([]);
  });

  test('take nothing of the service along: neither its code nor a package of it', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const packages = imports.filter(({ to }) => Object.keys(dependencies).some((name) => to === name));
    expect(packages.map(shown)).toEqual([]);
  });
});

describe('no file of the dashboard', () => {
  test('writes HTML as text, or has a default export', () => {
    const pattern = /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|^export default/m;
    expect(sources.filter((file) => pattern.test(texts.get(file) ?? ''))).toEqual([]);
  });
});
