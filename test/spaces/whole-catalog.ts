import type { CatalogStore } from '../../src/catalog/catalog-store.ts';
import type { AssetRecord, FileEntry, KnownFile } from '../../src/catalog/records.ts';
import type { StoragePath } from '../../src/path.ts';
import { rootedCatalog } from '../../src/spaces/rooted/catalog.ts';
import { toInnerAsset, toInnerIntent, toInnerItem, toOuterItem } from '../../src/spaces/rooted/records.ts';
import { isReserved, type Root } from '../../src/spaces/rooted/root.ts';

/** Adds to the catalog of a space what the library does for it, so that the tests of every catalog run on it. */
export function wholeCatalog(base: CatalogStore, root: Root): CatalogStore {
  const space = rootedCatalog(base, root);
  const outer = (path: StoragePath) => (isReserved(path) ? path : root.toOuter(path));
  const inner = <One extends { path: StoragePath }>(one: One): One =>
    isReserved(one.path) ? one : { ...one, path: root.toInner(one.path) };
  const outerFile = <One extends FileEntry | KnownFile>(file: One): One => ({ ...file, path: outer(file.path) });
  const asset = (found: AssetRecord | undefined) =>
    found && (isReserved(found.path) ? found : toInnerAsset(found, root));
  return {
    ...space,
    inOneStep: base.inOneStep,
    files: {
      ...space.files,
      find: async (path) => asset(await base.files.find(outer(path))),
      move: (from, to) => base.files.move(outer(from), outerFile(to)),
      copy: (from, to) => base.files.copy(outer(from), outerFile(to)),
      remove: (paths) => base.files.remove(paths.map(outer)),
      removeUnchanged: (files) => base.files.removeUnchanged(files.map(outerFile)),
      relocate: (files, folder) => base.files.relocate(files.map(outerFile), outer(folder)),
      page: async (folder, after, limit) => (await base.files.page(outer(folder), after, limit)).map(inner),
      vanished: async (etags) => (await base.files.vanished(etags)).map(inner),
      identified: async (fileIds) => (await base.files.identified(fileIds)).map(inner),
      lastId: () => base.files.lastId(),
    },
    folders: {
      ...space.folders,
      find: async (folder) => {
        const found = await base.folders.find(outer(folder));
        return found && inner(found);
      },
      below: (folder) => (isReserved(folder) ? base.folders.below(folder) : space.folders.below(folder)),
      add: async (folder) => inner(await base.folders.add(outer(folder))),
      move: (from, to) => base.folders.move(outer(from), outer(to)),
      setFingerprint: (folder, mark) => base.folders.setFingerprint(outer(folder), mark),
      setDigests: (digests) => base.folders.setDigests(digests.map((one) => ({ ...one, folder: outer(one.folder) }))),
      children: async (folder, limit) => (await base.folders.children(outer(folder), limit)).map(inner),
    },
    intents: {
      ...space.intents,
      confirm: (intent) => base.intents.confirm(intent),
      claim: (intent, node) => base.intents.claim(intent, node),
      list: async (kinds) => (await base.intents.list(kinds)).map((intent) => toInnerIntent(intent, root)),
    },
    trash: {
      ...space.trash,
      put: (item) => base.trash.put(toOuterItem(item, root)),
      expired: async (now, limit) => (await base.trash.expired(now, limit)).map((item) => toInnerItem(item, root)),
    },
    redirects: {
      ...space.redirects,
      countOutsideSpaces: () => base.redirects.countOutsideSpaces(),
      areAround: (path) => base.redirects.areAround(outer(path)),
      follow: (from, to) => base.redirects.follow(outer(from), outer(to)),
      removeTo: (path) => base.redirects.removeTo(outer(path)),
    },
    versions: { ...space.versions, due: (before, limit) => base.versions.due(before, limit) },
    descriptions: {
      claim: async (limit, holdMs) => (await base.descriptions.claim(limit, holdMs)).map(inner),
      store: (id, etag, description) => base.descriptions.store(id, etag, description),
      fail: (id, etag, retryInMs) => base.descriptions.fail(id, etag, retryInMs),
      waiting: () => base.descriptions.waiting(),
      redescribe: () => base.descriptions.redescribe(),
    },
    indexSpace: (folder) => base.indexSpace(outer(folder)),
    makeSearchable: (limit) => base.makeSearchable(limit),
    followTypes: (signal) => base.followTypes(signal),
  };
}
