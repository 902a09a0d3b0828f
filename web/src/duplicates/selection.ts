import type { DuplicateGroup } from '../api/duplicates.ts';
import type { Asset } from '../api/types.ts';

/** Explicit choices to keep or remove files, by path. */
export type Selection = ReadonlyMap<string, boolean>;

/** Number of metadata values that a user has entered. */
const metadataCount = ({ title, alt, description, tags, focal }: Asset) =>
  [title, alt, description, focal].filter((value) => value !== null && value !== '').length + tags.length;

const pixelsOf = ({ width, height }: Asset) => (width ?? 0) * (height ?? 0);

/** Best file of a group: most pixels, then most metadata, most bytes, oldest. */
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

/** True if a file stays: by choice, else if it is the best of its group. */
export const isSelected = (group: DuplicateGroup, { path }: Asset, selection: Selection): boolean =>
  selection.get(path) ?? bestOf(group)?.path === path;

/** Paths to remove; none if all would be removed. */
export function removedPaths(group: DuplicateGroup, selection: Selection): string[] {
  const rest = group.assets.filter((asset) => !isSelected(group, asset, selection));
  return rest.length === group.assets.length ? [] : rest.map(({ path }) => path);
}
