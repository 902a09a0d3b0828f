import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../source-files.ts';

const CLIENT = join(ROOT, 'packages', 'client');
const SOURCES = readdirSync(join(CLIENT, 'src')).filter((name) => name.endsWith('.ts'));
const COMMAND_LINE = readdirSync(join(CLIENT, 'src', 'cli'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('cli', name));
const manifest = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'));

const importsOf = (file: string) =>
  [...readFileSync(join(CLIENT, 'src', file), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, to]) => to);

/** It needs an optional package, which the user installs. */
const API = 'api.ts';

test('the client imports its own files alone, and nothing imports what has secrets', () => {
  const imported = SOURCES.filter((file) => file !== API).flatMap(importsOf);
  expect(imported.length).toBeGreaterThan(3);
  expect(imported.filter((to) => !SOURCES.includes(to?.replace('./', '') ?? ''))).toEqual([]);
  expect(imported).not.toContain(`./${API}`);
  expect(importsOf(API)).toEqual(['openapi-fetch', './api-types.ts', './redirects.ts', './url.ts']);
  expect(imported).not.toContain('./sign.ts');
});

test('the command line imports Node, what writes URLs and follows redirects, and the types of the API, and nothing imports it', () => {
  const imported = COMMAND_LINE.flatMap((file) =>
    importsOf(file).map((to = '') => (to.startsWith('.') ? join(dirname(file), to) : to)),
  );
  expect(imported).toEqual(expect.arrayContaining(['cli/service.ts', 'cli/mcp/serve.ts']));
  const foreign = imported.filter((to) => !to.startsWith('node:') && !COMMAND_LINE.includes(to));
  const ofUrls = ['options.ts', 'parameters.ts', 'sign.ts', 'url.ts'];
  expect([...new Set(foreign)].sort()).toEqual(['api-types.ts', 'redirects.ts', ...ofUrls].sort());
  expect(SOURCES.flatMap(importsOf).filter((to) => to?.includes('/cli/'))).toEqual([]);
});

test('the package has no dependency but one that is left to whoever uses the API, the version of the service, and nothing to sign with for browsers', () => {
  const service = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(manifest.dependencies).toBeUndefined();
  expect(manifest.peerDependencies).toEqual({ 'openapi-fetch': expect.any(String) });
  expect(manifest.peerDependenciesMeta).toEqual({ 'openapi-fetch': { optional: true } });
  expect(manifest).toMatchObject({ version: service.version, license: service.license });
  expect(manifest.exports['./sign']).toMatchObject({ browser: './dist/no-sign.js' });
});
