import type { Setting } from '../api/settings.ts';

/** Sections with the settings whose name or meaning has all words of a text, in the order of the service. */
export function settingsFound(
  settings: readonly Setting[],
  text: string,
  isSetOnly: boolean,
): [group: string, settings: Setting[]][] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = ({ name, description }: Setting) => {
    const all = `${name} ${description}`.toLowerCase();
    return words.every((word) => all.includes(word));
  };
  const found = settings.filter((one) => (one.isSet || !isSetOnly) && has(one));
  // A part of a name is meant as one, although other settings mention it.
  const named = found.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  const isName = text.includes('_') && named.length > 0;
  return [...Map.groupBy(isName ? named : found, ({ group }) => group)];
}

/** First sentence of a description; a list of values is one. */
export const summaryOf = ({ description }: Pick<Setting, 'description'>): string =>
  description.split(/(?<=\.) (?=[A-Z`])/)[0] ?? description;
