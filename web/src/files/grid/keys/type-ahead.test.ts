import { expect, test } from 'vitest';
import { TypeAhead } from './type-ahead.ts';

test('letters that follow one another are one name, and after a pause another one', () => {
  let now = 0;
  const typing = new TypeAhead(() => now);
  expect(typing.isTyping).toBe(false);
  expect(typing.type('H').matches({ name: 'harbour' })).toBe(true);
  now += 300;
  expect(typing.isTyping).toBe(true);
  const two = typing.type('o');
  expect([two.matches({ name: 'harbour' }), two.matches({ name: 'Holidays' }), two.isNext]).toEqual([
    false,
    true,
    false,
  ]);
  now += 700;
  expect(typing.isTyping).toBe(false);
  expect(typing.type('m').matches({ name: 'market' })).toBe(true);
  typing.stop();
  expect(typing.isTyping).toBe(false);
  expect(typing.type('a').matches({ name: 'alps' })).toBe(true);
});

test('the same letter again goes on to the next name that begins with it', () => {
  const typing = new TypeAhead(() => 0);
  typing.type('h');
  const again = typing.type('h');
  expect([again.matches({ name: 'holidays' }), again.isNext]).toEqual([true, true]);
});
