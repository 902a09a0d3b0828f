import { expect, test } from 'vitest';
import { filesOfPaste, pastedName } from './pasted-files.ts';

const now = new Date(2026, 10, 28, 10, 15, 0);

test('a pasted image is named after the time and its type', () => {
  expect(pastedName('image/png', now)).toBe('pasted-2026-11-28-101500.png');
  expect(pastedName('image/jpeg', new Date(2026, 0, 2, 3, 4, 5))).toBe('pasted-2026-01-02-030405.jpg');
  expect(pastedName('image/svg+xml', now, 1)).toBe('pasted-2026-11-28-101500-2.svg');
});

test('a copied file keeps its name, and pixels get one', () => {
  const files = [new File(['a'], 'image.png', { type: 'image/png' }), new File(['b'], 'cat.jpg')];
  const pasted = filesOfPaste({ files } as unknown as DataTransfer, now);
  expect(pasted.map(({ name, file }) => [name, file.name])).toEqual([
    ['pasted-2026-11-28-101500.png', 'pasted-2026-11-28-101500.png'],
    ['cat.jpg', 'cat.jpg'],
  ]);
  expect(filesOfPaste(null)).toEqual([]);
});
