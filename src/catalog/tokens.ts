/** Scripts without spaces between words: each character is a token. */
const UNSPACED =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])/u;

/** Maximum length of a token, in characters; the rest is cut off. */
const MAX_LENGTH = 64;

/** Terms eligible for near matches: letters only, 3 to 32 of them. */
const COMPARABLE = /^[\p{L}\p{M}]{3,32}$/u;

/**
 * Returns the indexed terms of a text: without accents, in lower case, letters separate from digits. A compound written
 * as `SunSet` is also indexed by its parts.
 */
export function tokensOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC');
  const found = new Set<string>();
  for (const [run] of plain.matchAll(/[\p{L}\p{M}]+|\p{N}+/gu)) {
    for (const part of run.split(UNSPACED)) {
      if (part === '') continue;
      found.add(fold(part));
      const parts = part.split(/(?<=\p{Ll})(?=\p{Lu})/u);
      if (parts.length > 1) for (const one of parts) found.add(fold(one));
    }
  }
  return [...found];
}

/** Returns the terms of a search. A compound is searched as it is written. */
export function searchedTokens(text: string): string[] {
  return tokensOf(text.toLowerCase());
}

/** Returns the terms eligible for near matches. */
export const comparable = (words: readonly string[]) => words.filter((word) => COMPARABLE.test(word));

/** Returns the trigrams of a word, including its beginning and end. */
export function trigramsOf(word: string): string[] {
  const letters = [...`  ${word} `];
  return [...new Set(letters.slice(2).map((_, at) => letters.slice(at, at + 3).join('')))];
}

/** Returns the similarity of two terms, 0 to 1: the share of trigrams in both. */
export function similarity(one: string, other: string): number {
  const first = new Set(trigramsOf(one));
  const second = new Set(trigramsOf(other));
  const shared = first.intersection(second).size;
  return shared / (first.size + second.size - shared);
}

const fold = (word: string) => [...word.toLowerCase()].slice(0, MAX_LENGTH).join('');
