import { describe, expect, test } from 'vitest';
import { parsePath } from '../path.ts';
import { createSpaceRegistry } from './registry.ts';
import { LIBRARY, type Space } from './space.ts';

const space = (id: string, folder: string, hosts: string[] = []): Space => ({
  id,
  name: id,
  folder: parsePath(folder),
  isEnabled: true,
  hosts,
  rules: {},
  secret: 'a'.repeat(43),
  previousSecret: undefined,
  createdAt: '2026-01-01T00:00:00.000Z',
});

function registryOf(...spaces: Space[]) {
  const registry = createSpaceRegistry();
  registry.replace(spaces);
  return registry;
}

const registry = registryOf(
  space('acme', 'customers/acme', ['media.acme.test', 'acme.test']),
  space('globex', 'customers/Globéx'),
);

describe('the space that contains a path', () => {
  test.each([
    ['customers/acme', 'acme'],
    ['customers/acme/a/b.jpg', 'acme'],
    ['customers/ACME/b.jpg', 'acme'],
    ['customers/globe\u0301x/b.jpg', 'globex'],
    ['customers/acme2/b.jpg', undefined],
    ['customers', undefined],
    ['', undefined],
  ])('of "%s" is %s: names compare as on disks that ignore case and composition', (path, id) => {
    expect(registry.containing(path as never)?.id).toBe(id);
  });
});

test.each([
  ['', 'acme'],
  ['customers', 'acme'],
  ['customers/acme', 'acme'],
  ['CUSTOMERS/acme', 'acme'],
  ['customers/acme/a', undefined],
  ['custom', undefined],
])('a space at or below "%s": %s', (folder, id) => {
  expect(registry.atOrBelow(folder as never)?.id).toBe(id);
});

test.each([
  ['media.acme.test', 'acme'],
  ['MEDIA.acme.test:8080', 'acme'],
  ['media.acme.test.', 'acme'],
  ['acme.test', 'acme'],
  ['evil-acme.test', undefined],
  ['[::1]:3000', undefined],
])('the host "%s" leads to %s', (host, id) => {
  expect(registry.ofHost(host)?.id).toBe(id);
});

test('the library has an id and rules, and is not among the spaces', () => {
  const rules = { originals: 'protected' } as const;
  const own = registryOf({ ...space(LIBRARY, ''), rules }, space('acme', 'acme'));
  expect(own.library().rules).toEqual(rules);
  expect(own.list().map(({ id }) => id)).toEqual(['acme']);
  expect(own.find(LIBRARY)).toBeUndefined();
  expect(own.containing('other/a.jpg' as never)).toBeUndefined();
});

test('listeners hear of each replacement until they unsubscribe', () => {
  const heard: number[] = [];
  const own = createSpaceRegistry();
  const unsubscribe = own.onChange(() => heard.push(own.size));
  own.replace([space('acme', 'acme')]);
  unsubscribe();
  own.replace([]);
  expect(heard).toEqual([1]);
});

test('a reading without changes is heard by nobody, and keeps the objects', () => {
  const read = () => [{ ...space(LIBRARY, ''), rules: { originals: 'open' } as const }, space('acme', 'acme')];
  const heard: number[] = [];
  const own = registryOf(...read());
  own.onChange(() => heard.push(own.size));
  const [library, acme] = [own.library(), own.find('acme')];
  own.replace(read());
  expect([heard, own.library() === library, own.find('acme') === acme]).toEqual([[], true, true]);
  own.replace([...read(), space('globex', 'globex')]);
  expect([heard, own.find('acme') === acme]).toEqual([[2], true]);
});
