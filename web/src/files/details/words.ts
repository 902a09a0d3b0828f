import type { Metadata } from '../../api/files.ts';
import type { Asset } from '../../api/types.ts';

/** Texts that people write about a file. */
export interface Words {
  title: string;
  alt: string;
  description: string;
  tags: readonly string[];
}

export type Field = keyof Words;
export type Edits = Partial<Words>;

const TEXTS = ['title', 'alt', 'description'] as const;

export const wordsOf = ({ title, alt, description, tags }: Pick<Asset, Field>): Words => ({
  title: title ?? '',
  alt: alt ?? '',
  description: description ?? '',
  tags,
});

const isSameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((tag, at) => tag === other[at]);

/** Edits that differ from the stored texts. Spaces around a text do not count. */
export function changesOf(stored: Words, edits: Edits): Edits {
  const changes: Edits = {};
  for (const name of TEXTS) {
    const text = edits[name]?.trim();
    if (text !== undefined && text !== stored[name].trim()) changes[name] = text;
  }
  if (edits.tags !== undefined && !isSameList(edits.tags, stored.tags)) changes.tags = edits.tags;
  return changes;
}

export const isEmpty = (edits: Edits): boolean => Object.keys(edits).length === 0;

/** Fields of changes with their stored texts, which undo the changes. */
export const storedOf = (stored: Words, changes: Edits): Edits =>
  Object.fromEntries(Object.keys(changes).map((name) => [name, stored[name as Field]]));

/** Texts that another client has changed to something else. Tags never conflict: they are merged. */
export const conflictsOf = (before: Words, theirs: Words, changes: Edits): Field[] =>
  TEXTS.filter(
    (name) => changes[name] !== undefined && theirs[name] !== before[name] && theirs[name] !== changes[name],
  );

/** Edits of one state applied to a later one: tags that were added and removed here are added and removed there. */
export function rebase(before: Words, theirs: Words, edits: Edits): Edits {
  const { tags } = edits;
  if (tags === undefined) return edits;
  const kept = theirs.tags.filter((tag) => tags.includes(tag) || !before.tags.includes(tag));
  const added = tags.filter((tag) => !before.tags.includes(tag) && !kept.includes(tag));
  return { ...edits, tags: [...kept, ...added] };
}

/** Edits that were made while others were saved. */
export const leftOf = (now: Edits, sent: Edits): Edits =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== sent[name as Field]));

/** Body of the request. */
export function metadataOf({ tags, ...texts }: Edits): Metadata {
  const metadata: Metadata = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text || null]));
  return { ...metadata, ...(tags && { tags: [...tags] }) };
}
