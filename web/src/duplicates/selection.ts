import type { DuplicateGroup } from '../api/duplicates.ts';
import type { Asset } from '../api/types.ts';

/** What somebody has said of single files, by their paths: whether they stay. */
export type Selection = ReadonlyMap<string, boolean>;

/** Something that somebody has written about a file is worth selection. */
const metadataCount = ({ title, alt, description, tags, focal }: Asset) =>
  [title, alt, description, focal].filter((value) => value !== null && value !== '').length + tags.length;

const pixelsOf = ({ width, height }: Asset) => (width ?? 0) * (height ?? 0);

/** The best of a group: the most pixels, then the most words, the most bytes, and what was there first. */
export function bestOf({ assets }: DuplicateGroup): Asset | undefined {
  const [best] = assets.toSorted(
    (one, other) =>
      pixelsOf(other) - pixelsOf(one) ||
      metadataCount(other) - metadataCount(one) ||
      other.size - one.size ||
      Date.parse(one.createdAt) - Date.parse(other.createdAt),
  );
  return best;
}

/** Whether a file stays: the best of its group does, unless somebody has said otherwise. */
export const isSelected = (group: DuplicateGroup, { path }: Asset, selection: Selection): boolean =>
  selection.get(path) ?? bestOf(group)?.path === path;

/** The paths of what does not stay; nothing where nothing would. */
export function removedPaths(group: DuplicateGroup, selection: Selection): string[] {
  const rest = group.assets.filter((asset) => !isSelected(group, asset, selection));
  return rest.length === group.assets.length ? [] : rest.map(({ path }) => path);
}
