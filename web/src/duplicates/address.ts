/** What the address of the duplicates says: pictures that look the same, instead of equal bytes. */
export interface DuplicatesSearch {
  by?: 'look' | undefined;
}

export const readDuplicatesSearch = ({ by }: Record<string, unknown>): DuplicatesSearch => ({
  by: by === 'look' ? by : undefined,
});
