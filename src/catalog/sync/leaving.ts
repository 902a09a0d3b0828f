import { isWithin, type StoragePath } from '../../path.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { Intent, IntentKind } from '../records.ts';

/** Changes that remove files from a location one after another. */
const KINDS: readonly IntentKind[] = ['trash', 'move', 'moveFolder', 'remove', 'removeFolder'];

/**
 * Finds unfinished removals of a path, or of something in it. Their recovery still needs the rows: metadata follows the
 * bytes, and each removed file is reported. The caller holds the requested paths.
 * @param except the change that the caller recovers
 * @returns a function that is true for the paths of one
 */
export async function findLeaving(
  { intents }: Pick<CatalogStore, 'intents'>,
  except?: Pick<Intent, 'id'>,
): Promise<(path: StoragePath) => boolean> {
  const leaving = (await intents.list(KINDS)).filter(({ id }) => id !== except?.id);
  return (path) => leaving.some(({ from }) => isWithin(path, from) || isWithin(from, path));
}
