import { expect, test } from 'vitest';
import { createClientNames } from './client-names.ts';

test('a network has one name, which differs from that of others and in every installation, and does not tell it', () => {
  const nameOf = createClientNames('one secret');
  expect(nameOf('203.0.113.7')).toBe(nameOf('203.0.113.7'));
  const names = [nameOf('203.0.113.7'), nameOf('203.0.113.8'), createClientNames('other')('203.0.113.7')];
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[\w-]{22}$/);
});
