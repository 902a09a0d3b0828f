import { deleteMembersOf } from '../auth/member-rows.ts';
import type { Purges } from '../cdn/purges.ts';
import type { Changes } from '../cluster/changes.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import { countOlderNodes } from '../db/postgres/older-nodes.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { wrongPresets } from '../delivery/url.ts';
import { conflict } from '../errors.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Log } from '../log.ts';
import { quote, type StoragePath } from '../path.ts';
import type { OpenBackend } from '../storage/backend.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { createSpaceManager } from './manager.ts';
import { createMirror } from './mirror.ts';
import type { SpaceRegistry } from './registry.ts';
import { readSpaces } from './rows.ts';
import type { Space } from './space.ts';

export interface SpaceManagerParts {
  database: OpenDatabase;
  cluster: Pick<Cluster, 'stats'>;
  changes: Pick<Changes, 'spaces' | 'access'>;
  purges: Pick<Purges, 'add'> | undefined;
  spaces: SpaceRegistry;
  storage: {
    originals: { store: Pick<BlobStore, 'createFolder'> };
    sharedText: OpenBackend['sharedText'] | undefined;
  };
  catalog: { indexSpace(folder: StoragePath): Promise<void> };
  webhooks: Pick<Webhooks, 'removeOf' | 'changed'>;
  rendering: { queue: Pick<Queue, 'failAll'> };
  log: Log;
}

/** Name of the copy of the spaces beside the originals. */
const MIRROR = 'access.json';

/** Creates the service that changes spaces, on all nodes and in the CDN. */
export function openSpaceManager({ limits, http }: Config, parts: SpaceManagerParts) {
  const { database, changes, purges, spaces, storage, catalog, webhooks, rendering } = parts;
  const isShared = database.dialect === 'postgres';
  const mirror = isShared ? openMirror(parts) : undefined;
  const endWork = ({ id }: Space) => rendering.queue.failAll(id, `The space ${quote(id)} was deleted.`);
  const manager = createSpaceManager({
    database,
    registry: spaces,
    createFolder: (folder) => storage.originals.store.createFolder(folder),
    countOlderNodes: isShared ? countOlderNodes : undefined,
    mirror,
    checkPresets: (presets) => wrongPresets({ ...limits, presets }),
    ownHost: http.publicUrl === undefined ? undefined : new URL(http.publicUrl).hostname,
    endWork,
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
        // What began on a node that did not know yet that the space is closed.
        await endWork(before);
      }
      await purgeFolderOf(before ?? after, purges);
      if (!before && after) await catalog.indexSpace(after.folder);
    },
  });
  return {
    manager,
    /** Reads the spaces from the database, or from their copy while it is unavailable. */
    async start(): Promise<void> {
      await database.whenAvailable(manager.load);
      await mirror?.start();
    },
    close: () => mirror?.close(),
  };
}

function openMirror({ database, cluster, spaces, storage, log }: SpaceManagerParts) {
  const text = storage.sharedText?.(MIRROR);
  return (
    text &&
    createMirror({
      text,
      registry: spaces,
      read: () => readSpaces(database.db),
      isConnected: () => cluster.stats().isConnected,
      log,
    })
  );
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
