import { describe, expect, test } from 'vitest';
import type { Parameter } from '../../api/types.ts';
import { canApply, groupParameters } from './groups.ts';

const parameter = (key: string): Parameter => ({
  key,
  aliases: [],
  separator: key.startsWith('e_') ? ':' : '_',
  name: key,
  summary: '',
  forms: '',
  examples: [],
  shape: { kind: 'text' },
});

describe('groups of parameters', () => {
  test('are in the order of the work, without empty ones', () => {
    const keys = ['pg', 'rg', 'h', 'w', 'g', 'e_blur', 'e_contrast', 'r', 'q', 'f'];
    const groups = groupParameters(keys.map(parameter));
    expect(groups.map(({ name, parameters }) => [name, ...parameters.map(({ key }) => key)])).toEqual([
      ['size', 'w', 'h'],
      ['focus', 'g'],
      ['format', 'f', 'q'],
      ['adjust', 'e_contrast'],
      ['effects', 'r', 'e_blur'],
      ['advanced', 'pg', 'rg'],
    ]);
  });

  test('have a new effect among the effects, and another new parameter among the advanced ones', () => {
    expect(groupParameters(['new', 'e_new'].map(parameter)).map(({ name }) => name)).toEqual(['effects', 'advanced']);
  });
});

describe('a parameter is not shown', () => {
  const image = (type: string, frames: number | null = null) => ({ kind: 'image', type, frames }) as const;

  test.each([
    ['pg', image('image/jpeg'), false],
    ['pg', image('application/pdf', 1), false],
    ['pg', image('application/pdf', 3), true],
    ['pg', image('image/tiff'), true],
    ['pg', { kind: 'video', type: 'video/mp4', frames: null } as const, false],
    ['an', image('image/gif', 12), true],
    ['an', image('image/gif', 1), false],
    ['an', image('image/png'), false],
    ['an', { kind: 'video', type: 'video/mp4', frames: null } as const, true],
    ['el', image('image/svg+xml'), false],
    ['e_blur_faces', image('image/svg+xml'), false],
    ['e_blur_faces', image('image/jpeg'), true],
    ['w', image('image/svg+xml'), true],
  ])('if it cannot apply: %s of %o', (key, source, expected) => {
    expect(canApply(key, source)).toBe(expected);
  });
});
