import { expect, test } from 'vitest';
import type { Space } from '../api/types.ts';
import { isPrivateBy, rulesInLibrary, rulesInSpace, rulesNaming } from './private-paths.ts';

const library = { id: 'default', folder: '', privateFolders: ['drafts'] } as unknown as Space;
const acme = { id: 'acme', folder: 'customers/acme', privateFolders: ['contracts/2027'] } as unknown as Space;

test('private folders of spaces lie in their folders of the library', () => {
  expect(rulesInLibrary([library, acme])).toEqual([
    { path: 'drafts', spaceId: 'default', named: 'drafts' },
    { path: 'customers/acme/contracts/2027', spaceId: 'acme', named: 'contracts/2027' },
  ]);
});

test('everything in a private folder is private, in any case and composition', () => {
  const rules = rulesInSpace({ ...acme, privateFolders: ['Drafts/Café'] });
  for (const path of ['Drafts/Café', 'drafts/cafe\u0301', 'Drafts/Café/in/it'])
    expect(isPrivateBy(rules, path)).toBe(true);
  for (const path of ['', 'Drafts', 'Drafts/Café 2', 'other/Drafts/Café']) expect(isPrivateBy(rules, path)).toBe(false);
});

test('only the named folder itself can be made public', () => {
  const rules = rulesInLibrary([library, acme]);
  expect(rulesNaming(rules, 'Drafts')).toEqual([{ path: 'drafts', spaceId: 'default', named: 'drafts' }]);
  expect(rulesNaming(rules, 'drafts/in')).toEqual([]);
});
