import { dirname } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { allFiles, files, texts } from './source-files.ts';

/** A folder that fits on a screen; its tests count. */
const MAX_FILES = 22;
const MAX_LINES = 250;
/** A function that fits on a screen; what is declared inside it counts. */
const MAX_FUNCTION_LINES = 45;

test('no folder has too many files', () => {
  const counts = new Map<string, number>();
  for (const file of allFiles) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MAX_FILES)).toEqual([]);
});

test('no file is too long', () => {
  const long = [...texts].filter(([, text]) => text.trimEnd().split('\n').length > MAX_LINES);
  expect(long.map(([file]) => file)).toEqual([]);
});

test('no function is too long', () => {
  expect(files.flatMap((file) => longFunctions(file, texts.get(file) ?? ''))).toEqual([]);
});

function longFunctions(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const [first, last] = [lineOf(node.getStart(source)), lineOf(node.end)];
      const lines = last - first + 1;
      if (lines > MAX_FUNCTION_LINES) found.push(`${file}:${first} has a function of ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
