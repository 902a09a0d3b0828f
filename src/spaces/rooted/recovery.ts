import type { TrashServiceOptions } from '../../catalog/trash-service.ts';
import type { VersionRecovery } from '../../catalog/version-recovery.ts';
import { isOwnItem, toInnerItem, toOuterIntent, toOuterItem } from './records.ts';
import { translatingRefusals } from './refusals.ts';
import type { Root } from './root.ts';

type TrashRecovery = TrashServiceOptions['recovery'];

/**
 * View of the recovery of moves into the trash and back. An unfinished one is noted in the base, so that the lock of
 * the library recovers it first, for changes through the space as through the library.
 */
export function rootedTrashRecovery(base: TrashRecovery, root: Root): TrashRecovery {
  return {
    async recover(intent) {
      const item = await translatingRefusals(root, () => base.recover(toOuterIntent(intent, root)));
      return item && isOwnItem(item, root) ? toInnerItem(item, root) : undefined;
    },
    noteUnfinished: (intent) => base.noteUnfinished(toOuterIntent(intent, root)),
    settleTrashed: async (intent, id) =>
      toInnerItem(await translatingRefusals(root, () => base.settleTrashed(toOuterIntent(intent, root), id)), root),
    settleRestored: (intent, item) =>
      translatingRefusals(root, () => base.settleRestored(toOuterIntent(intent, root), toOuterItem(item, root))),
    settleRefused: (intent) => translatingRefusals(root, () => base.settleRefused(toOuterIntent(intent, root))),
  };
}

/** View of the recovery of copies that become versions. */
export function rootedVersionRecovery(
  base: Pick<VersionRecovery, 'recover'>,
  root: Root,
): Pick<VersionRecovery, 'recover'> {
  return { recover: (intent) => translatingRefusals(root, () => base.recover(toOuterIntent(intent, root))) };
}
