import type { DuplicatePage, Searches } from '../../catalog/catalog-search.ts';
import type {
  CatalogRows,
  CatalogStore,
  Listings,
  SpaceCatalog,
  SpaceRows,
  Usages,
} from '../../catalog/catalog-store.ts';
import type { Tags, Wordings } from '../../catalog/catalog-words.ts';
import { LATEST_FIRST } from '../../catalog/retained-rows.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import { mapInPieces } from '../../runtime/in-pieces.ts';
import {
  isOwnIntent,
  isOwnItem,
  toInnerAsset,
  toInnerIntent,
  toInnerItem,
  toOuterEvent,
  toOuterIntent,
  toOuterOrHidden,
} from './records.ts';
import { rootedRedirects } from './redirects.ts';
import type { Root } from './root.ts';

/**
 * View of the catalog for a space: its root is the folder of the space. Items of the trash, intents and versions of
 * others are unknown. Hidden paths pass where the trash needs them.
 */
export function rootedCatalog(base: CatalogStore, root: Root): SpaceCatalog {
  return {
    ...rootedRows(base, root),
    listing: rootedListing(base.listing, root),
    usage: rootedUsage(base.usage, root),
    words: rootedWords(base.words, root),
    tags: rootedTags(base.tags, root),
    search: rootedSearch(base.search, root),
    inOneStep: (work) => base.inOneStep((rows) => work(rootedRows(rows, root))),
  };
}

function rootedRows(
  { files, folders, intents, trash, versions, redirects, events }: CatalogRows,
  root: Root,
): SpaceRows {
  const { toOuter, toInner } = root;
  const ownItem = async (id: string) => {
    const item = await trash.find(id);
    return item && isOwnItem(item, root) ? item : undefined;
  };
  return {
    files: {
      async find(path) {
        const asset = await files.find(toOuter(path));
        return asset && toInnerAsset(asset, root);
      },
      put: async (entries, options) =>
        files.put(
          entries.map((entry) => ({ ...entry, path: toOuter(entry.path) })),
          options,
        ),
      async named(folder, names) {
        const found = await files.named(toOuter(folder), names);
        return found.map((file) => ({ ...file, path: toInner(file.path) }));
      },
    },
    folders: {
      async below(folder) {
        const found = await folders.below(toOuter(folder));
        return mapInPieces(found, (one) => ({ ...one, path: toInner(one.path) }));
      },
      async remove(folder) {
        await folders.remove(toOuterOrHidden(folder, root));
        if (folder === ROOT) await folders.add(root.folder);
      },
    },
    intents: {
      begin: async (intent) => intents.begin(toOuterIntent(intent, root)),
      finish: (intent) => intents.finish(intent),
      async find(id) {
        const intent = await intents.find(id);
        return intent && isOwnIntent(intent, root) ? toInnerIntent(intent, root) : undefined;
      },
    },
    trash: {
      async find(id) {
        const item = await ownItem(id);
        return item && toInnerItem(item, root);
      },
      async latestOf(path) {
        const item = path === ROOT ? undefined : await trash.latestOf(toOuter(path));
        return item && toInnerItem(item, root);
      },
      async page(limit, after, folder = ROOT, order = LATEST_FIRST) {
        const isByPath = after !== undefined && order.by === 'path';
        const position = isByPath ? { ...after, value: toOuter(after.value as StoragePath) } : after;
        return (await trash.page(limit, position, toOuter(folder), order)).map((item) => toInnerItem(item, root));
      },
      // The library sweeps for all spaces.
      expired: async () => [],
      async remove(id) {
        if (await ownItem(id)) await trash.remove(id);
      },
    },
    versions: {
      add: (assetId, version) => versions.add(assetId, version),
      exists: async (id, folder = ROOT) => versions.exists(id, toOuter(folder)),
      of: async (path) => versions.of(toOuter(path)),
      within: async (path) => versions.within(toOuterOrHidden(path, root)),
      due: async () => [],
      remove: (ids) => versions.remove(ids),
    },
    redirects: rootedRedirects(redirects, root),
    events: { add: async (added) => events.add(added.map((event) => toOuterEvent(event, root))) },
  };
}

function rootedListing(listing: Listings, root: Root): Listings {
  const { toOuter, toInner } = root;
  return {
    async page({ folder, after, ...request }) {
      const position = after && { ...after, path: toOuter(after.path) };
      const { folders, files } = await listing.page({ ...request, folder: toOuter(folder), after: position });
      return {
        folders: folders.map((one) => ({ ...one, path: toInner(one.path) })),
        files: files.map((asset) => toInnerAsset(asset, root)),
      };
    },
    total: async (scope) => listing.total({ ...scope, folder: toOuter(scope.folder) }),
    version: async (folder, recursive, terms) => listing.version(toOuter(folder), recursive, terms),
    async glance(folder, ceiling, previews) {
      const glance = await listing.glance(toOuter(folder), ceiling, previews);
      return { ...glance, previews: glance.previews.map((one) => ({ ...one, path: toInner(one.path) })) };
    },
  };
}

function rootedUsage(usage: Usages, { toOuter, toInner }: Root): Usages {
  return {
    total: async (folder) => usage.total(toOuter(folder)),
    async below(folder) {
      const { folders, kinds } = await usage.below(toOuter(folder));
      return { folders: folders.map((one) => ({ ...one, path: toInner(one.path) })), kinds };
    },
  };
}

function rootedWords(words: Wordings, root: Root): Wordings {
  return {
    async patch(path, patch, revision) {
      const asset = await words.patch(root.toOuter(path), patch, revision);
      return asset === 'conflict' || !asset ? asset : toInnerAsset(asset, root);
    },
    focalPoint: async (path) => words.focalPoint(root.toOuter(path)),
  };
}

function rootedTags(tags: Tags, { toOuter, toInner }: Root): Tags {
  return {
    list: async (folder = ROOT) => tags.list(toOuter(folder)),
    rename: async (tag, name, folder = ROOT) => tags.rename(tag, name, toOuter(folder)),
    remove: async (tag, folder = ROOT) => tags.remove(tag, toOuter(folder)),
    change: async (paths, changed) => (await tags.change(paths.map(toOuter), changed)).map(toInner),
  };
}

function rootedSearch(search: Searches, root: Root): Searches {
  const inside = <Filter extends { folder?: StoragePath | undefined }>(filter: Filter) =>
    filter.folder === undefined
      ? { ...filter, folder: root.folder, recursive: true }
      : { ...filter, folder: root.toOuter(filter.folder) };
  const toInnerPage = ({ groups, next }: DuplicatePage): DuplicatePage => ({
    groups: groups.map(({ assets, wastedBytes }) => ({
      assets: assets.map((asset) => toInnerAsset(asset, root)),
      wastedBytes,
    })),
    next,
  });
  return {
    async page(request) {
      const page = await search.page(inside(request));
      return { ...page, assets: page.assets.map((asset) => toInnerAsset(asset, root)) };
    },
    total: async (filter, isNear, ceiling) => search.total(inside(filter), isNear, ceiling),
    facets: async (filter, isNear) => search.facets(inside(filter), isNear),
    duplicates: async (limit, after, folder = ROOT) =>
      toInnerPage(await search.duplicates(limit, after, root.toOuter(folder))),
    similar: async (limit, after, folder = ROOT) =>
      toInnerPage(await search.similar(limit, after, root.toOuter(folder))),
  };
}
