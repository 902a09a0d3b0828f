/** Shorter names are similar to many variables of other programs: `MODE` to npm's `NODE`. */
const SHORTEST = 6;
/** Length from which two edits are allowed instead of one. */
const LONG = 10;
/** Suffixes that are omitted most often. */
const ENDS = ['_MB', '_MS', '_NAME'];

export interface NearMiss {
  name: string;
  /** Known name that was probably intended. */
  meant: string;
}

/** Finds unknown names that are probably misspellings of known ones. */
export function nearMisses(names: readonly string[], known: readonly string[]): NearMiss[] {
  const candidates = known.filter(({ length }) => length >= SHORTEST);
  return names
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = candidates.find((candidate) => isNear(name.toUpperCase(), candidate));
      return meant === undefined ? [] : [{ name, meant }];
    });
}

function isNear(name: string, known: string): boolean {
  if (ENDS.some((end) => name + end === known)) return true;
  const allowed = known.length < LONG ? 1 : 2;
  if (Math.abs(name.length - known.length) > allowed) return false;
  // An edit changes two letters of the set at most. This excludes nearly all pairs in a tenth of the time.
  const letters = new Set(name).symmetricDifference(new Set(known));
  return letters.size <= 2 * allowed && distance(name, known) <= allowed;
}

/** Counts inserted, deleted, replaced and swapped adjacent letters (optimal string alignment). */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, n) => n);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + Number(!isSame),
        isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
