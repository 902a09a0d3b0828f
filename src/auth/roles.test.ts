import { expect, test } from 'vitest';
import { compareRoles, highestRole, permissionsOf, ROLES, type Role } from './roles.ts';

test('each role has the permissions of those below it, and one more; an owner has those of an admin', () => {
  expect(Object.fromEntries(ROLES.map((role) => [role, permissionsOf(role)]))).toEqual({
    viewer: ['read'],
    contributor: ['read', 'upload'],
    editor: ['read', 'upload', 'manage'],
    admin: ['read', 'upload', 'manage', 'admin'],
    owner: ['read', 'upload', 'manage', 'admin'],
  });
});

test('roles sort from the lowest to the highest', () => {
  const mixed: Role[] = ['owner', 'viewer', 'admin', 'editor', 'contributor'];
  expect(mixed.toSorted(compareRoles)).toEqual(ROLES);
});

test('the highest of several roles counts, and unknown ones grant nothing', () => {
  expect(highestRole(['viewer', 'editor', undefined, 'contributor'])).toBe('editor');
  expect(highestRole(['viewer', 'emperor'])).toBe('viewer');
  expect(highestRole(['emperor', 'constructor', undefined])).toBeUndefined();
  expect(highestRole([])).toBeUndefined();
});
