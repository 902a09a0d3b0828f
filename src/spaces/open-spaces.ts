import { deleteMembersOf } from '../auth/member-rows.ts';
import type { Purges } from '../cdn/purges.ts';
import type { Changes } from '../cluster/changes.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { wrongPresets } from '../delivery/url.ts';
import { conflict } from '../errors.ts';
import { quote, type StoragePath } from '../path.ts';
import type { Queue } from '../jobs/queue.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { createSpaceManager } from './manager.ts';
import { writeMirror } from './mirror.ts';
import type { SpaceRegistry } from './registry.ts';
import type { Space } from './space.ts';

export interface SpaceManagerParts {
  database: OpenDatabase;
  changes: Pick<Changes, 'spaces' | 'access'>;
  purges: Pick<Purges, 'add'> | undefined;
  spaces: SpaceRegistry;
  storage: { originals: { store: Pick<BlobStore, 'createFolder'> } };
  catalog: { indexSpace(folder: StoragePath): Promise<void> };
  webhooks: Pick<Webhooks, 'removeOf' | 'changed'>;
  rendering: { queue: Pick<Queue, 'failAll'> };
}

/** Creates the service that changes spaces, on all nodes and in the CDN. */
export function openSpaceManager({ limits, http, data }: Config, parts: SpaceManagerParts) {
  const { database, changes, purges, spaces, storage, catalog, webhooks, rendering } = parts;
  return createSpaceManager({
    database,
    registry: spaces,
    createFolder: (folder) => storage.originals.store.createFolder(folder),
    mirror: database.dialect === 'postgres' ? (all) => writeMirror(data.spaces, all) : undefined,
    checkPresets: (presets) => wrongPresets({ ...limits, presets }),
    ownHost: http.publicUrl === undefined ? undefined : new URL(http.publicUrl).hostname,
    async removeBelongings(transaction, id) {
      await deleteMembersOf(transaction, id);
      await webhooks.removeOf(transaction, id);
      for (const table of OWNED) await transaction.deleteFrom(table).where('space', '=', id).execute();
    },
    async onChange(before, after) {
      await changes.spaces();
      if (before && !after) {
        // Its keys, sessions and webhooks.
        await Promise.all([changes.access(), webhooks.changed()]);
        await rendering.queue.failAll(before.id, `The space ${quote(before.id)} was deleted.`);
      }
      await purgeFolderOf(before ?? after, purges);
      if (!before && after) await catalog.indexSpace(after.folder);
    },
  });
}

/** What everyone may get has changed. */
async function purgeFolderOf(space: Space | undefined, purges: Pick<Purges, 'add'> | undefined): Promise<void> {
  if (space) await purges?.add(space.folder, 'folder');
}

/** Tables whose rows end with their space; members and invitations are deleted in one step. */
const OWNED = ['api_key', 'session'] as const;

/** @throws HttpProblem 409 for the folder of a space, and for those above it */
export function assertNoSpace(spaces: SpaceRegistry, path: StoragePath): void {
  const space = spaces.atOrBelow(path);
  if (!space) return;
  const message = `${quote(space.folder)} is the folder of the space ${quote(space.id)}, so it stays where it is.`;
  throw conflict(message, 'space_conflict');
}
