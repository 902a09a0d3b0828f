import { describe, expect, test } from 'vitest';
import { changesOf, conflictsOf, leftOf, metadataOf, rebase, storedOf, type Words } from './words.ts';

const stored: Words = { title: 'Rome', alt: '', description: 'At night', tags: ['italy', 'night'] };

describe('changes', () => {
  test('are the texts that differ, without spaces around them', () => {
    expect(changesOf(stored, { title: ' Rome ', alt: ' A ruin ' })).toEqual({ alt: 'A ruin' });
    expect(changesOf(stored, { tags: ['italy', 'night'] })).toEqual({});
    expect(changesOf(stored, { tags: ['night', 'italy'] })).toEqual({ tags: ['night', 'italy'] });
  });

  test('are undone by the stored texts of the same fields', () => {
    expect(storedOf(stored, { alt: 'A ruin', tags: [] })).toEqual({ alt: '', tags: ['italy', 'night'] });
  });

  test('are sent with null for an empty text', () => {
    expect(metadataOf({ title: '', alt: 'A ruin', tags: ['a'] })).toEqual({ title: null, alt: 'A ruin', tags: ['a'] });
  });

  test('made during a save remain after it', () => {
    const tags = ['a'];
    expect(leftOf({ title: 'Roma', alt: 'A ruin', tags }, { title: 'Rom', alt: 'A ruin', tags })).toEqual({
      title: 'Roma',
    });
  });
});

describe('a change by another client', () => {
  const theirs: Words = { ...stored, title: 'Roma', tags: ['night', 'ruins'] };

  test('conflicts with another text for the same field only', () => {
    expect(conflictsOf(stored, theirs, { title: 'Rome, Italy', alt: 'A ruin' })).toEqual(['title']);
    expect(conflictsOf(stored, theirs, { title: 'Roma' })).toEqual([]);
    expect(conflictsOf(stored, theirs, { alt: 'A ruin' })).toEqual([]);
  });

  test('is merged with tags: each side keeps what it added and removed', () => {
    expect(rebase(stored, theirs, { tags: ['italy', 'night', 'arch'] })).toEqual({ tags: ['night', 'ruins', 'arch'] });
    expect(rebase(stored, theirs, { tags: ['italy'] })).toEqual({ tags: ['ruins'] });
    expect(rebase(stored, theirs, { title: 'Rome, Italy' })).toEqual({ title: 'Rome, Italy' });
  });
});
