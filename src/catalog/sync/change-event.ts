import type { StoragePath } from '../../path.ts';
import type { BlobStat } from '../../storage/blob-store.ts';
import type { FileEvent } from '../file-events.ts';

/**
 * Returns the event of a change, if there is one.
 * @param result the result of the store: the state of the file, or whether anything was removed
 */
export function eventsOf(
  { kind, from, to }: { kind: string; from: StoragePath; to?: StoragePath | null },
  result: unknown,
): FileEvent[] {
  const path = to ?? from;
  switch (kind) {
    case 'write':
    case 'copy':
      return [{ type: 'file.stored', path, isFolder: false, stat: result as BlobStat }];
    case 'move':
      return [{ type: 'file.moved', path, from, isFolder: false, stat: result as BlobStat }];
    case 'moveFolder':
      return [{ type: 'file.moved', path, from, isFolder: true }];
    case 'remove':
    case 'removeFolder':
      return result === false ? [] : [{ type: 'file.deleted', path, isFolder: kind === 'removeFolder' }];
    default:
      return [];
  }
}
