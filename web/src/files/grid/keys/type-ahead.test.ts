import { expect, test } from 'vitest';
import { TypeAhead } from './type-ahead.ts';

test('letters that follow one another are one name, and after a pause another one', () => {
  let now = 0;
  const typing = new TypeAhead(() => now);
  expect(typing.isTyping).toBe(false);
  expect(typing.type('H').isWanted({ name: 'harbour' })).toBe(true);
  now += 300;
  expect(typing.isTyping).toBe(true);
  const two = typing.type('o');
  expect([two.isWanted({ name: 'harbour' }), two.isWanted({ name: 'Holidays' }), two.isNext]).toEqual([
    ...[false, true, false],
  ]);
  now += 700;
  expect(typing.isTyping).toBe(false);
  expect(typing.type('m').isWanted({ name: 'market' })).toBe(true);
  typing.stop();
  expect(typing.isTyping).toBe(false);
  expect(typing.type('a').isWanted({ name: 'alps' })).toBe(true);
});

test('the same letter again goes on to the next name that begins with it', () => {
  const typing = new TypeAhead(() => 0);
  typing.type('h');
  const again = typing.type('h');
  expect([again.isWanted({ name: 'holidays' }), again.isNext]).toEqual([true, true]);
});
