import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { pressProfile } from '../../scripts/press-profile.ts';

test('the profile of a press is the one that its script makes', async () => {
  const kept = await readFile(new URL('../../packages/image-files/src/profiles/press-cmyk.icc', import.meta.url));
  expect((await pressProfile()).equals(kept)).toBe(true);
});
