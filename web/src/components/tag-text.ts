/** Maximum of the service. */
export const MAX_TAG = 100;

const partsOf = (text: string) => text.split(',').map((tag) => tag.trim().normalize('NFC'));

/** Tags with those of a text, which commas separate. */
export const withText = (tags: readonly string[], text: string): string[] => [
  ...new Set([...tags, ...partsOf(text).filter((tag) => tag !== '')]),
];

/** Splits a typed text: what is before the last comma are tags, the rest is being typed. */
export function typedTags(tags: readonly string[], typed: string): { tags: readonly string[]; text: string } {
  const end = typed.lastIndexOf(',');
  if (end < 0) return { tags, text: typed };
  return { tags: withText(tags, typed.slice(0, end)), text: typed.slice(end + 1).trimStart() };
}

export interface CountedTag {
  tag: string;
  count: number;
}

const MAX_SUGGESTIONS = 8;

/** Tags that contain a text in any case: those that begin with it first, then those of more files. */
export function suggestionsOf(all: readonly CountedTag[], chosen: readonly string[], text: string): CountedTag[] {
  const sought = text.trim().toLowerCase();
  const found = all.filter(({ tag }) => tag.toLowerCase().includes(sought) && !chosen.includes(tag));
  const isStart = ({ tag }: CountedTag) => Number(tag.toLowerCase().startsWith(sought));
  return found
    .toSorted((one, other) => isStart(other) - isStart(one) || other.count - one.count)
    .slice(0, MAX_SUGGESTIONS);
}
