import { expect, test } from 'vitest';
import { spaceOfPath } from './space-path.ts';

test('a path below /b/ names a space', () => {
  expect(spaceOfPath('/b/acme')).toBe('acme');
  expect(spaceOfPath('/b/acme/')).toBe('acme');
  expect(spaceOfPath('/b/acme-2/files/b/other')).toBe('acme-2');
});

test('all other paths are in the library, or in the space of the host', () => {
  for (const path of ['', '/', '/files/b/acme', '/b', '/b/', '/b/a', '/b/ACME/files', '/b/%2e%2e/files', '/b/-a/files'])
    expect(spaceOfPath(path)).toBeUndefined();
});
