/** Selected items by id, and the item from which a range extends. */
export interface Selection {
  ids: ReadonlySet<string>;
  anchor: string | undefined;
}

export const NOTHING: Selection = { ids: new Set(), anchor: undefined };

/**
 * Selects an item or removes it from the selection; with `isRange` everything from the last one to it, in the shown
 * order.
 */
export function toggled({ ids, anchor }: Selection, id: string, shown: readonly string[], isRange: boolean): Selection {
  const isSelected = !ids.has(id);
  const from = anchor === undefined ? -1 : shown.indexOf(anchor);
  const to = shown.indexOf(id);
  const range = isRange && from >= 0 ? shown.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
  const next = new Set(ids);
  for (const one of range) {
    if (isSelected) next.add(one);
    else next.delete(one);
  }
  return { ids: next, anchor: id };
}

/** Without items that have left the trash. */
export function present({ ids, anchor }: Selection, shown: readonly string[]): Selection {
  return { ids: new Set(shown.filter((id) => ids.has(id))), anchor };
}
