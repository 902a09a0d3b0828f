import { expect, test } from 'vitest';
import { isPrivateBy, ownerOf, rulesIn, rulesNaming } from './private-paths.ts';

const library = { id: 'default', folder: '', privateFolders: ['drafts'] };
const acme = { id: 'acme', folder: 'customers/acme', privateFolders: ['contracts/2027'] };

test('private folders of spaces lie in their folders of the library', () => {
  const rules = rulesIn([library, acme], 'default');
  expect(rules.map(({ spaceId, folder }) => [spaceId, folder])).toEqual([
    ['default', 'drafts'],
    ['acme', 'contracts/2027'],
  ]);
  expect(isPrivateBy(rules, 'customers/acme/contracts/2027')).toBe(true);
  expect(isPrivateBy(rules, 'contracts/2027')).toBe(false);
});

test('in a space only its own rules count', () => {
  const rules = rulesIn([library, acme, { ...acme, id: 'globex' }], 'acme');
  expect(rules.map(({ spaceId }) => spaceId)).toEqual(['acme']);
  expect(isPrivateBy(rules, 'contracts/2027')).toBe(true);
});

test('everything in a private folder is private, in any case and composition', () => {
  const rules = rulesIn([{ ...acme, privateFolders: ['Drafts/Café'] }], 'acme');
  for (const path of ['Drafts/Café', 'drafts/cafe\u0301', 'Drafts/Café/in/it'])
    expect(isPrivateBy(rules, path)).toBe(true);
  for (const path of ['', 'Drafts', 'Drafts/Café 2', 'other/Drafts/Café']) expect(isPrivateBy(rules, path)).toBe(false);
});

test('only the named folder itself can be made public', () => {
  const rules = rulesIn([library, acme], 'default');
  expect(rulesNaming(rules, 'Drafts')).toMatchObject([{ spaceId: 'default', folder: 'drafts' }]);
  expect(rulesNaming(rules, 'drafts/in')).toEqual([]);
});

test('a folder is made private by the rules of the space in which it lies', () => {
  const owner = (path: string) => ownerOf([library, acme], 'default', path);
  expect(owner('drafts/2027')).toEqual({ spaceId: 'default', folder: 'drafts/2027' });
  expect(owner('customers')).toEqual({ spaceId: 'default', folder: 'customers' });
  expect(owner('customers/acme 2')).toEqual({ spaceId: 'default', folder: 'customers/acme 2' });
  expect(owner('customers/acme/Drafts/in')).toEqual({ spaceId: 'acme', folder: 'Drafts/in' });
  expect(owner('Customers/ACME/drafts')).toEqual({ spaceId: 'acme', folder: 'drafts' });
  expect(ownerOf([library, acme], 'acme', 'customers/acme/drafts')).toEqual({
    spaceId: 'acme',
    folder: 'customers/acme/drafts',
  });
});

test('the folder of a space is made private by no rule', () => {
  expect(ownerOf([library, acme], 'default', 'customers/acme')).toBeUndefined();
});
