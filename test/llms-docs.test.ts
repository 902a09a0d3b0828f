import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { LLMS_FILE, llmsText } from '../scripts/llms.ts';

test('llms.txt names the pages as they are (node scripts/llms.ts writes it, and so does npm run docs)', async () => {
  expect(await readFile(LLMS_FILE, 'utf8')).toBe(llmsText());
});
