import { expect, test } from 'vitest';
import { uploadsMessages } from './uploads.ts';

test('the files to choose again have no number, however many they are', () => {
  expect(uploadsMessages.chooseAgain(1, 0)).toBe('Choose the file again to upload.');
  expect(uploadsMessages.chooseAgain(1234, 40)).toBe('Choose the files again to go on from 40 %.');
});
