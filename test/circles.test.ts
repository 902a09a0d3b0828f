import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { type Circle, FIRST_ALL_THE_SAME, SECOND_CIRCLE } from './circles.ts';
import { ROOT } from './source-files.ts';

const run = promisify(execFile);
/** Other tests copy the project to `dist`. */
const NOT_OURS = ['**/node_modules/**', 'data/**', 'dist/**'];

/** Lists the files that vitest finds for a circle, or without one, relative to the project. */
async function listed(circle: Circle | undefined): Promise<string[]> {
  const { TEST_CIRCLE: _, ...environment } = process.env;
  const env = { ...environment, ...(circle && { TEST_CIRCLE: circle }) };
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const { stdout } = await run(process.execPath, [vitest, 'list', '--filesOnly', '--json'], { cwd: ROOT, env });
  const files = JSON.parse(stdout) as { file: string }[];
  return files.map(({ file }) => file.slice(ROOT.length + 1)).sort();
}

let all: string[];
let first: string[];
let second: string[];
beforeAll(async () => {
  all = await listed(undefined);
  first = await listed('first');
  second = await listed('second');
});

test('the two circles are all test files, each once', () => {
  expect([...first, ...second].sort()).toEqual(all);
  expect(new Set(all).size).toBe(all.length);
});

test('no test file of the project is outside of the circles', () => {
  const files = globSync('**/*.test.ts', { cwd: ROOT, exclude: NOT_OURS });
  expect(all).toEqual(files.sort());
});

test('every pattern of the circles names a test file', () => {
  const unused = [...SECOND_CIRCLE, ...FIRST_ALL_THE_SAME].filter(
    (pattern) => !globSync(pattern, { cwd: ROOT, exclude: NOT_OURS }).some((file) => file.endsWith('.test.ts')),
  );
  expect(unused).toEqual([]);
});
