import { isWithin, type StoragePath } from '../../path.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { TRASH } from '../kept-rows.ts';

/**
 * Finds what was moved into the trash by somebody who did not come to the end: its rows, with their words, are still to follow the
 * bytes. The caller holds the paths that it will ask for.
 * @returns whether this is so of a path, or of something in it
 */
export async function findLeaving({ intents }: Pick<CatalogStore, 'intents'>): Promise<(path: StoragePath) => boolean> {
  const leaving = (await intents.moves()).filter(({ kind }) => kind === TRASH);
  return (path) => leaving.some(({ from }) => isWithin(path, from) || isWithin(from, path));
}
