import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './source-files.ts';

const WEB = join(ROOT, 'web', 'src');
/** Modules that every module may import. */
const SHARED = ['components', 'api', 'messages'];
/** Shared with other programs: URL encoding and the types of the API. */
const CLIENT = '../../packages/client/src/';
/** Composition of the modules; no module imports it. */
const COMPOSITION = ['main.tsx', 'router.tsx', 'shell'];

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

const moduleOf = (file: string) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : file);
const shown = ({ from, to }: { from: string; to: string }) => `${from} -> ${to}`;

describe('the modules of the dashboard', () => {
  test('are all seen by these tests', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(imports.filter(({ to }) => texts.has(to)).length).toBeGreaterThan(40);
  });

  test('import themselves, the shared modules and packages, and nothing else', () => {
    const broken = imports.filter(({ from, to }) => {
      const own = moduleOf(from);
      const other = moduleOf(to);
      if (!texts.has(to)) return to.startsWith('..') && !to.startsWith(CLIENT);
      return own !== other && !SHARED.includes(other) && !COMPOSITION.includes(own);
    });
    expect(broken.map(shown)).toEqual([]);
  });

  test('share components that know messages and errors, and no endpoint', () => {
    const modules = ['components', 'messages'];
    const known = ['api/error.ts', 'api/base.ts', 'api/session-state.ts'];
    const broken = imports.filter(
      ({ from, to }) =>
        moduleOf(from) === 'components' && texts.has(to) && !modules.includes(moduleOf(to)) && !known.includes(to),
    );
    expect(broken.map(shown)).toEqual([]);
  });

  test('send requests through api/ alone', () => {
    const requesting = sources.filter((file) =>
      /\bfetch\(|new (XMLHttpRequest|EventSource)\(/.test(texts.get(file) ?? ''),
    );
    expect(requesting.filter((file) => !file.startsWith('api/'))).toEqual([]);
  });

  test('import nothing of the service: neither its code nor its packages', () => {
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
