import { describe, expect, test } from 'vitest';
import { prewarmingOf, rememberPrewarming, transformationsIn, unknownOf } from './prewarming.ts';

function memory(text?: string) {
  const values = new Map(text === undefined ? [] : [['darkroom-prewarm', text]]);
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

describe('what is made of new files', () => {
  test('is remembered for each folder, until it is nothing', () => {
    const store = memory();
    rememberPrewarming('/', 'a', ['w_400'], store);
    rememberPrewarming('/', 'b', ['w_800', 'n_card'], store);
    expect([prewarmingOf('/', 'a', store), prewarmingOf('/', 'b', store)]).toEqual([['w_400'], ['w_800', 'n_card']]);
    rememberPrewarming('/', 'a', [], store);
    expect([prewarmingOf('/', 'a', store), prewarmingOf('/', 'b', store)]).toEqual([[], ['w_800', 'n_card']]);
  });

  test('is remembered for each space', () => {
    const store = memory();
    rememberPrewarming('/b/acme/', '', ['w_400'], store);
    rememberPrewarming('/b/globex/', '', ['w_800'], store);
    expect(['/', '/b/acme/', '/b/globex/'].map((root) => prewarmingOf(root, '', store))).toEqual([
      [],
      ['w_400'],
      ['w_800'],
    ]);
  });

  test('is remembered for so many folders as were chosen last', () => {
    const store = memory();
    for (let at = 0; at <= 200; at++) rememberPrewarming('/', `${at}`, ['w_1'], store);
    expect(['0', '1', '200'].map((folder) => prewarmingOf('/', folder, store))).toEqual([[], ['w_1'], ['w_1']]);
  });

  test.each(['no JSON', '{}', '[1]', '[["a", [1]]]'])('is nothing where %s was kept', (text) => {
    expect(prewarmingOf('/', 'a', memory(text))).toEqual([]);
  });

  test('is read one a line, and each once', () => {
    expect(transformationsIn(' w_400, h_300 \n\nn_card\nw_400,h_300\n')).toEqual(['w_400,h_300', 'n_card']);
  });

  test('is unknown where a key is', () => {
    const keys = new Set(['w', 'h', 'n']);
    expect(unknownOf(['w_1,h_2', 'n_card', 'x_1', 'w_1,width', 'w400'], keys)).toEqual(['x_1', 'w_1,width', 'w400']);
  });
});
