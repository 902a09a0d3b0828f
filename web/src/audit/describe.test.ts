import { expect, test } from 'vitest';
import { AUDIT_ACTIONS } from '../../../src/audit/audit-entry.ts';
import { auditMessages } from '../messages/audit.ts';
import { actionFamilies, actorOf, factsOf, subjectOf } from './describe.ts';

test('has a plain name for every action of the service, and for its family', () => {
  expect(Object.keys(auditMessages.actions).sort()).toEqual([...AUDIT_ACTIONS].sort());
  const families = new Set(AUDIT_ACTIONS.map((action) => action.split('.')[0] ?? ''));
  expect(
    actionFamilies()
      .map(({ family }) => family)
      .sort(),
  ).toEqual([...families].sort());
  for (const { family, name } of actionFamilies()) expect(name).not.toBe(family);
});

test('names who acted, also where nobody is known', () => {
  expect(actorOf({ type: 'user', id: 'u1', name: 'Ada' })).toBe('Ada');
  expect(actorOf({ type: 'key', id: 'k1', name: null })).toBe('API key k1');
  expect(actorOf({ type: 'nobody', id: null, name: null })).toBe('Not signed in');
  expect(actorOf({ type: 'system', id: null, name: null })).toBe('The service');
});

test('names the person or key behind an id, and leaves paths as they are', () => {
  const names = new Map([['u1', 'Ada']]);
  const entry = {
    id: 'e1',
    at: '2026-11-27T12:00:00.000Z',
    space: '',
    actor: { type: 'user', id: 'u2', name: 'Bob' },
    action: 'member.changed',
    address: null,
    requestId: null,
  } as const;
  expect(subjectOf({ ...entry, target: 'u1', detail: {} }, names)).toBe('Ada');
  expect(subjectOf({ ...entry, target: 'k1', detail: { name: 'CI' } }, names)).toBe('CI');
  expect(subjectOf({ ...entry, target: 'a/b.jpg', detail: { name: 'x' } }, names)).toBe('a/b.jpg');
  expect(subjectOf({ ...entry, target: 'gone', detail: {} }, names)).toBe('gone');
  expect(subjectOf({ ...entry, target: null, detail: {} }, names)).toBe(null);
});

test('shows details in words, without empty ones', () => {
  const detail = { to: 'b.jpg', role: 'editor', expiresIn: 604_800, secondFactor: true, fields: ['alt', 'title'] };
  expect(factsOf({ ...detail, version: null, size: 2048, fileCount: 3 })).toEqual([
    { name: 'New path or name', text: 'b.jpg' },
    { name: 'Role', text: 'Editor' },
    { name: 'Valid for', text: '7 days' },
    { name: 'Second factor', text: 'Yes' },
    { name: 'Changed', text: 'alt, title' },
    { name: 'Size', text: '2 KB' },
    { name: 'File count', text: '3' },
  ]);
});
