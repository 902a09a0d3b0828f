import { expect, test } from 'vitest';
import { hasLongList, jsonInPieces } from './large-json.ts';

const list = (length: number) => Array.from({ length }, (_, n) => ({ n, name: `"é ${n}`, nothing: undefined }));

test.each<[string, Record<string, unknown>]>([
  ['a long list', { files: list(2500) }],
  ['a list of values that JSON leaves out', { files: Array.from({ length: 1500 }, () => undefined) }],
  ['fields around it', { path: 'a', folders: [], files: list(1001), total: 3, version: null }],
  ['fields that JSON leaves out', { first: undefined, files: list(1001), last: undefined }],
  ['two of them', { folders: list(1001).map(({ name }) => name), files: list(3000) }],
])('makes the JSON of an answer with %s as JSON.stringify does', async (_what, answer) => {
  expect(hasLongList(answer)).toBe(true);
  expect((await jsonInPieces(answer)).toString()).toBe(JSON.stringify(answer));
});

test.each([
  [{ files: list(1000) }],
  [null],
  [undefined],
  ['text'],
  [list(2000)],
  [{ files: list(2000), toJSON: () => '' }],
])('leaves other answers to the framework', (answer) => expect(hasLongList(answer)).toBe(false));

test('lets everything else run meanwhile', async () => {
  let turns = 0;
  let isDone = false;
  const making = jsonInPieces({ files: list(20_000) }).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  await making;
  expect(turns).toBeGreaterThan(15);
});
