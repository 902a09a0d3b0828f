import { expect, test } from 'vitest';
import { fuzz } from '../fuzz/api.ts';

test('whatever is sent to any operation, the answer is as the document declares it', async () => {
  const { problems } = await fuzz({ count: 400, seed: 6 });
  expect(problems).toEqual([]);
});
