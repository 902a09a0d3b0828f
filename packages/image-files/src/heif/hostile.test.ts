import { expect, test } from 'vitest';
import { makeBox } from '../boxes.ts';
import { mendHeif } from './mend.ts';

const u16 = (...values: readonly number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 0xff]));
const VERSION = Buffer.alloc(4);
const MAIN = 1;

/** Makes a file of metadata alone: references from items to the main one, and empty properties. */
function heifOf(references: readonly Buffer[], properties: number): Buffer {
  const ipco = makeBox('ipco', Buffer.concat(Array.from({ length: properties }, () => makeBox('free'))));
  const iprp = makeBox('iprp', ipco, makeBox('ipma', VERSION, Buffer.alloc(4)));
  const iref = makeBox('iref', VERSION, ...references);
  const meta = makeBox('meta', VERSION, makeBox('pitm', VERSION, u16(MAIN)), iref, iprp);
  return Buffer.concat([makeBox('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1')), meta]);
}

// Without a bound these take hours.
test.each([
  ['one item that says it often', [makeBox('auxl', u16(2, 65_535), Buffer.alloc(131_070, u16(MAIN)))]],
  ['more entries than are counted', [makeBox('auxl', u16(2, 1, MAIN), Buffer.alloc(2_000_000, u16(MAIN)))]],
  ['many items', Array.from({ length: 65_000 }, (_, item) => makeBox('auxl', u16(item + 2, 1, MAIN)))],
])('references to the main item cost no more than one list of properties: %s', async (_what, references) => {
  const bytes = heifOf(references, 32_000);
  expect((await mendHeif(bytes)).source).toBe(bytes);
});
