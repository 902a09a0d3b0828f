import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../source-files.ts';
import { DELIVERY, IN_LIBRARY_ONLY, QUEUE, STORAGE, UPLOADS } from './suites.ts';

const SUITES = [...STORAGE, ...DELIVERY, ...UPLOADS, ...QUEUE];
const FOLDER = join(ROOT, 'test', 'api');

test('every suite of the API runs inside a space, or is left out for a reason', () => {
  const names = [...SUITES.map(({ name }) => name), ...Object.values(IN_LIBRARY_ONLY).flat()];
  const files = globSync('**/*.test.ts', { cwd: FOLDER });
  expect(names.map((name) => `${name}.test.ts`).sort()).toEqual(files.sort());
});

test.each(SUITES)('$name imports the file of its name', ({ name, tests }) => {
  expect(tests.toString()).toContain(`test/api/${name}.test.ts`);
});
