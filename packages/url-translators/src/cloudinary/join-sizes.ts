import { approximate, type Draft, type Word } from './draft.ts';
import { ratioOf, wholeOf } from './values.ts';

/** Parameters that do not depend on size. */
const SIZELESS = /^(?:[bfqd]_|cs_|fl_(?:(?:lossy|progressive|strip_profile|force_strip|attachment)(?:[.:].*|$)))/;
/** Modes that give exactly the requested box for any image. */
const EXACT = ['scale', 'fill', 'pad', 'thumb', 'auto'];
const PADS = ['pad', 'lpad'];
/** Modes that only change the size. */
const RESIZES = ['scale', 'fit', 'limit'];

/**
 * Joins a box, or bars for a ratio, with one side of a later component: `c_fill,w_800,h_400/c_scale,w_200` is
 * `c_fill,w_200,h_100`, and `ar_2,c_pad/w_200` is `c_pad,w_200,h_100`. Sites with a script for the width write the
 * former everywhere.
 */
export function joinSizes(draft: Draft, components: readonly Word[][]): readonly Word[][] {
  const result = [...components];
  let first: number | undefined;
  for (const [at, words] of components.entries()) {
    // The device pixel ratio applies to all components.
    if (words.every(({ key, text }) => SIZELESS.test(text) || key === 'dpr')) continue;
    const side = onlySide(words);
    const joined = first !== undefined && side ? join(draft, components[first] ?? [], modeIn(words), side) : undefined;
    if (first !== undefined && joined) {
      result[first] = joined;
      result[at] = words.filter(({ key }) => key !== 'c' && key !== side?.key);
      return result;
    }
    first = at;
  }
  return result;
}

/** The last of repeated parameters applies. */
const lastOf = (words: readonly Word[], name: string) => words.findLast(({ key }) => key === name);

const modeIn = (words: readonly Word[]) => lastOf(words, 'c')?.value ?? 'scale';

/** Returns the side that a component resizes to, if it has no other size parameter. */
function onlySide(words: readonly Word[]): Word | undefined {
  const [side, ...more] = words.filter(({ key }) => ['w', 'h', 'ar', 'g', 'x', 'y', 'z', 'l', 'u'].includes(key));
  const isSide = (side?.key === 'w' || side?.key === 'h') && more.length === 0 && RESIZES.includes(modeIn(words));
  return isSide && pixelsOf(side) !== undefined ? side : undefined;
}

function join(draft: Draft, words: readonly Word[], by: string, side: Word): Word[] | undefined {
  const mode = modeIn(words);
  const width = lastOf(words, 'w');
  const height = lastOf(words, 'h');
  const ratio = lastOf(words, 'ar');
  // Effects, edges and layers in pixels would change with the size.
  if (!words.every(({ key, text }) => SIZELESS.test(text) || ['c', 'w', 'h', 'ar', 'g', 'z'].includes(key))) return;
  const pixels = pixelsOf(side) ?? 0;
  if (ratio && !width && !height && PADS.includes(mode)) {
    if (by === 'limit') approximate(draft, `c_limit,${side.text}`, 'a smaller picture gets wider bars');
    const across = side.key === 'w' ? pixels : pixels * ratioOf(ratio);
    return boxed(words, 'pad', across, across / ratioOf(ratio));
  }
  const w = pixelsOf(width);
  const h = pixelsOf(height);
  if (ratio || w === undefined || h === undefined || !EXACT.includes(mode)) return undefined;
  const share = pixels / (side.key === 'w' ? w : h);
  return by === 'limit' && share > 1 ? [...words] : boxed(words, mode, w * share, h * share);
}

function boxed(words: readonly Word[], mode: string, width: number, height: number): Word[] {
  const others = words.filter(({ key }) => !['c', 'w', 'h', 'ar'].includes(key));
  const pixels = (key: string, side: number) => wordOf(key, String(Math.max(1, Math.round(side))));
  return [wordOf('c', mode), pixels('w', width), pixels('h', height), ...others];
}

const wordOf = (key: string, value: string): Word => ({ key, value, text: `${key}_${value}` });

function pixelsOf(word: Word | undefined): number | undefined {
  const pixels = word && !word.value.includes('.') ? wholeOf(word.value) : undefined;
  return pixels !== undefined && pixels > 0 ? pixels : undefined;
}
