import { expect, test } from 'vitest';
import { parsePath, ROOT, type StoragePath } from '../../path.ts';
import { createRoot } from './root.ts';

const root = createRoot(parsePath('customers/acme'));

test.each([
  ['', 'customers/acme'],
  ['a.jpg', 'customers/acme/a.jpg'],
  ['customers/acme/a.jpg', 'customers/acme/customers/acme/a.jpg'],
])('translates the inner path "%s" to "%s" and back', (inner, outer) => {
  expect(root.toOuter(parsePath(inner))).toBe(outer);
  expect(root.toInner(parsePath(outer))).toBe(inner);
});

test.each(['/trash/a', '\0variants/a', 'a\0b'])('refuses the reserved path %j', (path) => {
  expect(() => root.toOuter(path as StoragePath)).toThrow('Expected a path');
});

test.each(['', 'customers', 'customers/acme2/a.jpg', 'other/a.jpg'])('gives "%s" no inner path', (path) => {
  expect(root.contains(path as StoragePath)).toBe(false);
  expect(() => root.toInner(path as StoragePath)).toThrow('inside the space');
});

test('contains its folder, which is the root inside', () => {
  expect(root.contains(root.folder)).toBe(true);
  expect(root.toInner(root.folder)).toBe(ROOT);
});

test('refuses a path whose outer one is too long, with the limit of the space', () => {
  const bytes = 1024 - 'customers/acme/'.length;
  expect(root.toOuter('x'.repeat(bytes) as StoragePath)).toHaveLength(1024);
  expect(root.toOuter('ä'.repeat(bytes / 2) as StoragePath)).toMatch(/ä$/);
  for (const path of ['x'.repeat(bytes + 1), 'ä'.repeat(bytes / 2 + 1)]) {
    expect(() => root.toOuter(path as StoragePath)).toThrow(`at most ${bytes} bytes`);
  }
});
