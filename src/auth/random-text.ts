import { randomInt } from 'node:crypto';

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Generates letters and digits for keys and ids, 5.95 bits each. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += CHARACTERS[randomInt(CHARACTERS.length)];
  return text;
}
