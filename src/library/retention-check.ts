import { setTimeout as wait } from 'node:timers/promises';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import { hiddenFolder, hiddenId, hiddenPath } from '../catalog/hidden.ts';
import { TRASH_KINDS, VERSION_KINDS } from '../catalog/records.ts';
import { positionIn, type TrashItem, type TrashPosition } from '../catalog/retained-rows.ts';
import { mediaTypeOf } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { RetainedItems } from '../storage/retention-store.ts';

export interface RetentionCheckOptions {
  catalog: CatalogStore;
  retention: RetainedItems;
}

/** Bytes in the retention store without a row, or a row without bytes. */
export interface RetentionDifference {
  id: string;
  kind: 'no row' | 'version without bytes' | 'trash without bytes';
}

const PAGE = 500;
/** Grace period, in ms: a running service stores the bytes of a version just before their row. */
const MOMENT_MS = 1000;
/** Expiry of recovered bytes, which may be the only copy: they stay until a user removes them. */
const NEVER = Date.UTC(9999, 11, 31);

/** Compares the retention store with the rows of versions and trash, without changes. */
export async function findRetentionDifferences({
  catalog,
  retention,
}: RetentionCheckOptions): Promise<RetentionDifference[]> {
  // Read before the rows: anything stored meanwhile has one.
  const retained = new Set(await Array.fromAsync(retention.walk()));
  const versions = await allVersions(catalog);
  const trash = await allTrash(catalog);
  const unfinished = await catalog.intents.list([...TRASH_KINDS, ...VERSION_KINDS]);
  const moving = new Set(unfinished.flatMap(({ from, to }) => idsIn([from, to])));
  const found: RetentionDifference[] = [];
  for (const id of versions) if (!retained.has(id)) found.push({ id, kind: 'version without bytes' });
  for (const id of trash) if (!retained.has(id)) found.push({ id, kind: 'trash without bytes' });
  for (const id of retained) if (!versions.has(id) && !trash.has(id)) found.push({ id, kind: 'no row' });
  const settled = found.filter(({ id }) => !moving.has(id));
  const differs = await Promise.all(
    settled.map(async ({ id, kind }) => Boolean(await retention.stat(id)) === (kind === 'no row')),
  );
  return settled.filter((_one, at) => differs[at]);
}

/**
 * Makes the rows agree with the retention store, from which nothing is removed: bytes without a row move to the trash
 * and can be restored as `recovered/<id>`; rows without bytes are removed. A trash item whose versions still exist
 * stays.
 */
export async function repairRetention(options: RetentionCheckOptions): Promise<void> {
  const { catalog } = options;
  const before = await findRetentionDifferences(options);
  if (before.length === 0) return;
  await wait(MOMENT_MS);
  const ids = new Set(before.map(({ id }) => id));
  // Versions first: an item of the trash may have lost its own.
  for (const { id, kind } of await findRetentionDifferences(options)) {
    if (!ids.has(id)) continue;
    if (kind === 'version without bytes') await catalog.versions.remove([id]);
    else if (kind === 'no row') await recover(id, options);
    else if ((await catalog.versions.within(hiddenFolder(id))).length === 0) {
      await catalog.folders.remove(hiddenFolder(id));
      await catalog.trash.remove(id);
    }
  }
}

async function recover(id: string, { catalog, retention }: RetentionCheckOptions): Promise<void> {
  const retained = await retention.stat(id);
  if (!retained) return;
  const path = `recovered/${id}` as StoragePath;
  const hidden = hiddenPath(id, path);
  const usage = { size: 0, fileCount: 0 };
  if (retained.isFolder) await catalog.folders.add(hidden);
  for await (const file of retention.files(id)) {
    usage.size += file.size;
    usage.fileCount++;
    const at = (file.path === '' ? hidden : `${hidden}/${file.path}`) as StoragePath;
    await catalog.files.put([{ ...file, path: at }]);
  }
  const kind: TrashItem['kind'] = retained.isFolder ? 'folder' : mediaTypeOf(path).kind;
  await catalog.trash.put({ id, path, kind, ...usage, deletedAt: Date.now(), expiresAt: NEVER });
}

const idsIn = (paths: readonly (StoragePath | null)[]) =>
  paths.flatMap((path) => (path === null ? [] : (hiddenId(path) ?? [])));

async function allVersions({ versions }: CatalogStore): Promise<Set<string>> {
  return new Set(await versions.due(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER));
}

async function allTrash({ trash }: CatalogStore): Promise<Set<string>> {
  const ids = new Set<string>();
  let after: TrashPosition | undefined;
  for (;;) {
    const items = await trash.page(PAGE, after);
    for (const { id } of items) ids.add(id);
    const last = items.at(-1);
    if (!last) return ids;
    after = positionIn(last);
  }
}
