import { describe, expect, test } from 'vitest';
import { recentFolders, rememberFolder } from './recent-folders.ts';

function memory(text?: string) {
  const values = new Map(text === undefined ? [] : [['darkroom-recent-folders /', text]]);
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

describe('recent folders', () => {
  test('are the last five, each once, the most recent first', () => {
    const store = memory();
    for (const folder of ['a', 'b', 'c', 'd', 'e', 'f', 'c']) rememberFolder('/', folder, store);
    expect(recentFolders('/', store)).toEqual(['c', 'f', 'e', 'd', 'b']);
  });

  test('are those of the space', () => {
    const store = memory();
    rememberFolder('/b/acme/', 'a', store);
    expect([recentFolders('/', store), recentFolders('/b/acme/', store)]).toEqual([[], ['a']]);
  });

  test.each(['no JSON', '{}', '[1, null]'])('are none where %s was stored', (text) => {
    expect(recentFolders('/', memory(text))).toEqual([]);
  });
});
