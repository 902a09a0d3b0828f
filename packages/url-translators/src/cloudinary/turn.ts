import { refuse } from '../refusal.ts';
import { approximate, type Draft, enter, STAGE, type Word } from './draft.ts';
import { shareOfDirection } from './gravity.ts';

/**
 * Adds `a_`. Darkroom rotates before it crops, so a later rotation has to give the same result.
 * @throws Refused if it does not
 */
export function addTurn(draft: Draft, word: Word): void {
  if (['exif', 'auto', '0'].includes(word.value)) return;
  if (word.value === 'ignore') {
    draft.ignored.push(word.text);
    return;
  }
  const turn = readTurn(word);
  if (draft.parts.has('a')) refuse(word.text, 'it is turned already');
  if (draft.stage < STAGE.cut) enter(draft, STAGE.turn, word.text);
  else swapSides(draft, word, turn);
  draft.parts.set('a', `a_${word.value}`);
}

/** Parses degrees, or `hflip` and `vflip`, alone or before degrees. @throws Refused for other values */
export function readTurn(word: Word): { degrees: number; isMirrored: boolean } {
  if (!/^(?:[hv]flip\.){0,2}(?:-?\d{1,4}|[hv]flip)$/.test(word.value))
    refuse(word.text, 'expected degrees, or hflip or vflip');
  if (word.value.split('.').length > 3) refuse(word.text, 'expected degrees, or hflip or vflip');
  const last = word.value.split('.').at(-1) ?? '';
  const degrees = last.endsWith('flip') ? 0 : Number(last) % 360;
  return { degrees: (degrees + 360) % 360, isMirrored: word.value.includes('flip') };
}

function swapSides(draft: Draft, word: Word, { degrees }: { degrees: number }): void {
  if (draft.stage > STAGE.change) refuse(word.text, 'Darkroom turns the picture before this');
  const gravity = draft.parts.get('g')?.slice(2) ?? 'center';
  const isPlaced = (gravity !== 'center' && shareOfDirection(gravity) !== undefined) || gravity.startsWith('fp:');
  if (draft.parts.has('rg') || draft.parts.has('ar') || isPlaced) {
    refuse(word.text, 'Darkroom turns before it cuts, and the cut would be another');
  }
  if (degrees % 90 !== 0) {
    approximate(draft, word.text, 'it is turned before it gets its size, which stays as it is');
    return;
  }
  if (degrees % 180 === 0) return;
  const width = draft.parts.get('w');
  const height = draft.parts.get('h');
  draft.parts.delete('w');
  draft.parts.delete('h');
  if (height) draft.parts.set('w', height.replace('h', 'w'));
  if (width) draft.parts.set('h', width.replace('w', 'h'));
}
