import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { LLMS_FILE, llmsText } from '../scripts/llms.ts';

test('llms.txt names the pages as they are (npm run docs writes it)', async () => {
  expect(await readFile(LLMS_FILE, 'utf8')).toBe(llmsText());
});
