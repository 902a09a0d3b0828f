/** Search parameters of the page: similar images instead of identical files. */
export interface DuplicatesSearch {
  by?: 'look' | undefined;
}

export const readDuplicatesSearch = ({ by }: Record<string, unknown>): DuplicatesSearch => ({
  by: by === 'look' ? by : undefined,
});
