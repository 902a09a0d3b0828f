import { describe, expect, test } from 'vitest';
import { changesExtension, extensionOf, withExtensionOf } from './extension.ts';

describe('the extension of a name', () => {
  test.each([
    ['a.jpg', '.jpg'],
    ['a.b.jpg', '.jpg'],
    ['a', ''],
    ['.htaccess', ''],
    ['a.', '.'],
  ])('%s has %j', (name, extension) => {
    expect(extensionOf(name)).toBe(extension);
  });

  test.each([
    ['a.jpg', 'b.jpg', false],
    ['a.jpg', 'b.JPG', false],
    ['a.jpg', 'b.jpeg', true],
    ['a.jpg', 'b', true],
    ['a', 'b.jpg', true],
  ])('from %s to %s changes: %s', (from, to, changes) => {
    expect(changesExtension(from, to)).toBe(changes);
  });

  test.each([
    ['a.jpg', 'b', 'b.jpg'],
    ['a.jpg', 'b.', 'b.jpg'],
    ['a.jpg', 'b.png', 'b.jpg'],
    ['a.jpg', 'photo.v2', 'photo.v2.jpg'],
    ['a.jpg', '3.5 metres', '3.5 metres.jpg'],
    ['a', 'b.png', 'b'],
  ])('of %s stays with the name %s as %s', (from, to, name) => {
    expect(withExtensionOf(from, to)).toBe(name);
  });
});
