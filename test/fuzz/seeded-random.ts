/**
 * Numbers from 0 to 1, exclusive; the same seed gives the same ones. Source: mulberry32, Tommy Ettinger, public domain.
 */
export interface Random {
  next(): number;
  /** Returns an integer from 0 to `end`, exclusive. */
  below(end: number): number;
  pick<T>(values: readonly T[]): T;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return { next, below, pick: (values) => values[below(values.length)] as (typeof values)[number] };
}
