import type { StoragePath } from '../../path.ts';
import type { BlobStat } from '../../storage/blob-store.ts';
import type { FileEvent } from '../file-events.ts';

/**
 * What others may want to hear of a change that was made: one event at most.
 * @param result what the store has given: what it knows of the file, or whether there was anything to remove
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
