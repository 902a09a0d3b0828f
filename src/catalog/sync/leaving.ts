import { isWithin, type StoragePath } from '../../path.ts';
import type { CatalogStore } from '../catalog-store.ts';
import { TRASH } from '../kept-rows.ts';

/**
 * Whether a path, or something in it, was moved into the trash by somebody who did not come to the end: its rows, with their words, are
 * still to follow the bytes. The caller holds the path.
 */
export async function isLeaving({ intents }: Pick<CatalogStore, 'intents'>, path: StoragePath): Promise<boolean> {
  const moves = await intents.moves();
  return moves.some(({ kind, from }) => kind === TRASH && (isWithin(path, from) || isWithin(from, path)));
}
