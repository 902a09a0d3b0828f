/** Scripts that put no spaces between words: each of their characters is found by itself. */
const UNSPACED =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])/u;

const MAX_LENGTH = 64;

/** Words that can be nearly the same: of letters alone, not too short and not too long. */
const COMPARABLE = /^[\p{L}\p{M}]{3,32}$/u;

/**
 * The words of a text as they are found: without accents, in lower case, letters apart from digits. A compound written as `SunSet` is
 * also found by its parts.
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

/** The words that a search asks for. A compound is looked for as it is written. */
export function searchedTokens(text: string): string[] {
  return tokensOf(text.toLowerCase());
}

/** The words of which others can be nearly the same. */
export const comparable = (words: readonly string[]) => words.filter((word) => COMPARABLE.test(word));

/** The runs of three letters in a word, with its beginning and its end. */
export function trigramsOf(word: string): string[] {
  const letters = [...`  ${word} `];
  return [...new Set(letters.slice(2).map((_, at) => letters.slice(at, at + 3).join('')))];
}

/** How much two words are alike, 0 to 1: the share of the trigrams that both have. */
export function similarity(one: string, other: string): number {
  const [first, second] = [new Set(trigramsOf(one)), new Set(trigramsOf(other))];
  const shared = first.intersection(second).size;
  return shared / (first.size + second.size - shared);
}

const fold = (word: string) => [...word.toLowerCase()].slice(0, MAX_LENGTH).join('');
