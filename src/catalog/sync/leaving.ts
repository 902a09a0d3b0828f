import { isWithin, type StoragePath } from '../../path.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { Intent, IntentKind } from '../records.ts';

/** The changes that take files away one after another. */
const KINDS: readonly IntentKind[] = ['trash', 'move', 'moveFolder', 'remove', 'removeFolder'];

/**
 * Finds what somebody has begun to take away who did not come to the end. Whoever makes up for it still needs the rows: their words
 * follow the bytes, and each file that has gone is told of. The caller holds the paths that it will ask for.
 * @param except the change that the caller makes up for
 * @returns whether this is so of a path, or of something in it
 */
export async function findLeaving(
  { intents }: Pick<CatalogStore, 'intents'>,
  except?: Pick<Intent, 'id'>,
): Promise<(path: StoragePath) => boolean> {
  const leaving = (await intents.list(KINDS)).filter(({ id }) => id !== except?.id);
  return (path) => leaving.some(({ from }) => isWithin(path, from) || isWithin(from, path));
}
