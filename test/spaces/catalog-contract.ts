import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CatalogStore, SpaceCatalog } from '../../src/catalog/catalog-store.ts';
import { hiddenFolder, hiddenPath } from '../../src/catalog/hidden.ts';
import type { RedirectFilter } from '../../src/catalog/redirects.ts';
import { positionIn, type TrashItem } from '../../src/catalog/retained-rows.ts';
import { rootedCatalog } from '../../src/spaces/rooted/catalog.ts';
import { at, type CatalogBench, described, file } from '../contracts/catalog/bench.ts';
import { keeping } from '../contracts/catalog/kept.ts';
import { listing } from '../contracts/catalog/listing.ts';
import { pathSearching } from '../contracts/catalog/path-search.ts';
import { searching } from '../contracts/catalog/search.ts';
import { using } from '../contracts/catalog/usage.ts';
import { wording } from '../contracts/catalog/words.ts';
import { CANARIES, ROOT_OF_SPACE } from './outside.ts';
import { wholeCatalog } from './whole-catalog.ts';

/** Tests of the catalog of a space. `create` returns an empty catalog of a library. */
export function spaceCatalogContract(name: string, create: () => Promise<CatalogBench>): void {
  describe(`a space in ${name} as a catalog`, () => {
    let library: CatalogBench;
    let space: CatalogBench;
    const bench = () => space;
    beforeEach(async () => {
      library = await create();
      await library.catalog.folders.add(ROOT_OF_SPACE.folder);
      const catalog = wholeCatalog(library.catalog, ROOT_OF_SPACE);
      space = { ...library, catalog, other: wholeCatalog(library.other, ROOT_OF_SPACE) };
    });
    afterEach(() => library.close());

    describe('a listing', () => listing(bench));
    describe('usage', () => using(bench));
    describe('words', () => wording(bench));
    describe('a search', () => searching(bench));
    describe('a search of paths', () => pathSearching(bench));
    describe('what is kept', () => keeping(bench));
    describe('next to others', () => isolated(() => library.catalog));
  });
}

const HASHES = { sha256: '11', perceptualHash: '0123456789abcdef' };

/** Tests that a space has nothing of the library around it, which has the same words, tags, bytes and names. */
function isolated(library: () => CatalogStore): void {
  let catalog: CatalogStore;
  let space: SpaceCatalog;
  let intents: { own: string; others: string };
  const outside = ['canary/a.jpg', 'customers/a.jpg', 'customers/acme2/a.jpg', 'canary/boat.jpg'].map(at);
  const inside = ['customers/acme/a.jpg', 'customers/acme/b/boat.jpg'].map(at);

  beforeEach(async () => {
    catalog = library();
    space = rootedCatalog(catalog, ROOT_OF_SPACE);
    const ids = await catalog.files.put([...outside, ...inside].map((path) => file(path, { size: 5 })));
    for (const id of ids) await catalog.descriptions.store(id, 'one', described({ ...HASHES, width: 1, height: 1 }));
    await catalog.tags.change([...outside, ...inside], { add: ['red'] });
    await catalog.tags.change(outside, { add: ['canary'] });
    for (const [at, id] of ids.entries())
      await catalog.versions.add(id, { id: `v${at}`, size: 1, etag: 'old', createdAt: 1 });
    await catalog.trash.put(item('own', 'customers/acme/t.jpg'));
    await catalog.trash.put(item('others', 'customers/acme2/t.jpg'));
    // The folder was in the trash before a space was made in another one of its name.
    await catalog.trash.put(item('folder', 'customers/acme'));
    for (const [from, to, isFolder] of [
      ['customers/acme/old.jpg', 'customers/acme/a.jpg', false],
      ['customers/acme/canary', 'canary', true],
      ['canary/old.jpg', 'customers/acme/a.jpg', false],
      ['customers', 'canary', true],
      ['customers/acme2/old.jpg', 'customers/acme2/a.jpg', false],
    ] as const)
      await catalog.redirects.put({ from: at(from), to: at(to), isFolder, createdAt: 1 }, false, () => false);
    const begin = (from: string, id: string) =>
      catalog.intents.begin({ kind: 'trash', node: 'n', from: at(from), to: hiddenPath(id, at(from)) });
    intents = { own: await begin('customers/acme/t.jpg', 'own'), others: await begin('canary/t.jpg', 'others') };
  });
  const item = (id: string, path: string): TrashItem => ({
    id,
    path: at(path),
    kind: 'image',
    size: 1,
    fileCount: 1,
    deletedAt: 1,
    expiresAt: 2,
  });
  const paths = (found: readonly { path: string }[]) => found.map(({ path }) => path).toSorted();
  const request = { sort: 'name', order: 'asc', limit: 100 } as const;

  /** Calls of every method; a method that is added to the catalog of a space does not compile without one. */
  type Calls<Part> = Part extends (...parameters: never) => unknown
    ? () => unknown
    : { [Name in keyof Part]: () => unknown };
  const calls: { [Part in keyof SpaceCatalog]: Calls<SpaceCatalog[Part]> } = {
    files: {
      find: () => space.files.find(at('a.jpg')),
      put: () => space.files.put([file('new.jpg')]),
      named: () => space.files.named(at(''), ['a.jpg', 'canary', 'acme']),
    },
    folders: { below: () => space.folders.below(at('')), remove: () => space.folders.remove(hiddenFolder('own')) },
    intents: {
      begin: () => space.intents.begin({ kind: 'trash', node: 'n', from: at('a.jpg'), to: null }),
      finish: () => space.intents.finish({ id: intents.own, node: 'n' }),
      find: () => space.intents.find(intents.own),
    },
    trash: {
      find: () => space.trash.find('own'),
      latestOf: () => space.trash.latestOf(at('t.jpg')),
      page: () => space.trash.page(10),
      expired: () => space.trash.expired(10, 10),
      remove: () => space.trash.remove('others'),
    },
    versions: {
      add: () => space.versions.add(1, { id: 'new', size: 1, etag: 'old', createdAt: 1 }),
      exists: () => space.versions.exists('v4'),
      of: () => space.versions.of(at('a.jpg')),
      within: () => space.versions.within(at('')),
      due: () => space.versions.due(10, 10),
      remove: () => space.versions.remove(['v4']),
    },
    redirects: {
      find: () => space.redirects.find(at('old.jpg')),
      page: () => space.redirects.page(10),
      count: () => space.redirects.count(),
      put: () => space.redirects.put({ from: at('o.jpg'), to: at('a.jpg'), isFolder: false, createdAt: 1 }, true),
      remove: () => space.redirects.remove(at('old.jpg')),
    },
    events: { add: () => space.events.add([{ type: 'file.stored', path: at('a.jpg'), isFolder: false }]) },
    listing: {
      page: () => space.listing.page({ ...request, folder: at(''), recursive: true }),
      total: () => space.listing.total({ folder: at(''), recursive: true }),
      version: () => space.listing.version(at(''), true),
      glance: () => space.listing.glance(at(''), 10, 10),
    },
    usage: { total: () => space.usage.total(at('')), below: () => space.usage.below(at('')) },
    words: {
      patch: () => space.words.patch(at('a.jpg'), { title: 'title' }),
      focalPoint: () => space.words.focalPoint(at('a.jpg')),
    },
    tags: {
      list: () => space.tags.list(),
      rename: () => space.tags.rename('red', 'blue'),
      remove: () => space.tags.remove('red'),
      change: () => space.tags.change([at('a.jpg')], { add: ['green'] }),
    },
    search: {
      page: () => space.search.page({ ...request, text: 'a' }),
      total: () => space.search.total({}, false, 100),
      facets: () => space.search.facets({}, false),
      duplicates: () => space.search.duplicates(10),
      similar: () => space.search.similar(10),
    },
    inOneStep: () => space.inOneStep((rows) => rows.files.find(at('a.jpg'))),
  };
  const all = Object.entries(calls).flatMap(([part, methods]) =>
    typeof methods === 'function'
      ? [[part, methods] as const]
      : Object.entries(methods).map(([name, call]) => [`${part}.${name}`, call] as const),
  );

  test.each(all)('%s names and changes nothing outside of the space', async (_name, call) => {
    const before = await Promise.all(outside.map((path) => catalog.files.find(path)));
    expect(JSON.stringify((await call()) ?? null)).not.toMatch(CANARIES);
    expect(await Promise.all(outside.map((path) => catalog.files.find(path)))).toEqual(before);
    expect(await catalog.trash.find('others')).toBeDefined();
    expect(await catalog.versions.exists('v0')).toBe(true);
    expect(await catalog.intents.find(intents.others)).toBeDefined();
  });

  test('is searched by the paths inside it, not by the names of folders above', async () => {
    const found = async (search: string) => {
      const scope = { folder: at(''), recursive: true, search };
      const { folders, files } = await space.listing.page({ ...scope, sort: 'name', order: 'asc', limit: 100 });
      expect(await space.listing.total(scope)).toBe(folders.length + files.length);
      expect(await space.search.total({ search }, false, 100)).toBe(files.length);
      return [...folders, ...files].map(({ path }) => path);
    };
    expect(await found('boat')).toEqual(['b/boat.jpg']);
    for (const search of ['customers', 'acme', 'acme2', 'canary', 'customers boat'])
      expect(await found(search)).toEqual([]);
  });

  test('has the redirects that stay inside it', async () => {
    const shown = async () => (await space.redirects.page(10)).map(({ from, to }) => `${from} ${to}`);
    expect(await shown()).toEqual(['old.jpg a.jpg']);
    expect(await space.redirects.find(at('old.jpg'))).toMatchObject({ from: 'old.jpg', to: 'a.jpg' });
    for (const path of ['canary', 'canary/a.jpg', 'missing.jpg'])
      expect([path, await space.redirects.find(at(path))]).toEqual([path, undefined]);
    expect(await space.redirects.remove(at('canary'))).toBeUndefined();
    expect(await catalog.redirects.count()).toBe(5);
    expect(await space.redirects.remove(at('old.jpg'))).toMatchObject({ from: 'old.jpg' });
    expect([await shown(), await catalog.redirects.count()]).toEqual([[], 4]);
  });

  test('pages over the redirects that are none of its own', async () => {
    for (let n = 0; n < 5; n++)
      await catalog.redirects.put(
        { from: at(`customers/acme/${n}`), to: at('canary'), isFolder: true, createdAt: 1 },
        false,
      );
    await space.redirects.put({ from: at('z.jpg'), to: at('a.jpg'), isFolder: false, createdAt: 1 }, true);
    expect((await space.redirects.page(2)).map(({ from }) => from)).toEqual(['old.jpg', 'z.jpg']);
    expect((await space.redirects.page(2, at('old.jpg'))).map(({ from }) => from)).toEqual(['z.jpg']);
  });

  test('finds its redirects by their paths and targets, and says which have a file at their path', async () => {
    const page = async (filter: RedirectFilter) =>
      (await space.redirects.page(10, undefined, undefined, filter)).map(({ from, isOverruled }) => [
        from,
        isOverruled,
      ]);
    for (const filter of [{ from: [at('old.jpg'), at('canary')] }, { to: at('a.jpg') }])
      expect(await page(filter)).toEqual([['old.jpg', false]]);
    expect(await page({ to: at('missing.jpg') })).toEqual([]);
    await space.files.put([file('old.jpg')]);
    expect(await page({})).toEqual([['old.jpg', true]]);
  });

  test('has the files, sizes and folders inside it', async () => {
    const { folders, files } = await space.listing.page({ ...request, folder: at('') });
    expect([paths(folders), paths(files)]).toEqual([['b'], ['a.jpg']]);
    expect(await space.usage.total(at(''))).toEqual({ size: 10, fileCount: 2 });
    expect(paths(await space.folders.below(at('')))).toEqual(['b']);
  });

  test('searches, counts and compares its own files', async () => {
    expect(paths((await space.search.page(request)).assets)).toEqual(['a.jpg', 'b/boat.jpg']);
    expect(paths((await space.search.page({ ...request, text: 'boat' })).assets)).toEqual(['b/boat.jpg']);
    expect(await space.search.total({ tags: ['red'] }, false, 100)).toBe(2);
    expect(await space.search.total({ tags: ['canary'] }, false, 100)).toBe(0);
    expect(await space.search.facets({}, false)).toMatchObject({ kind: { image: 2 }, tag: { red: 2 } });
    for (const { groups, next } of [await space.search.duplicates(10), await space.search.similar(10)]) {
      expect(groups.map(({ assets }) => paths(assets))).toEqual([['a.jpg', 'b/boat.jpg']]);
      expect([groups[0]?.wastedBytes, next]).toEqual([5, undefined]);
    }
  });

  test('renames and removes the tags of its own files', async () => {
    expect(await space.tags.list()).toEqual([{ tag: 'red', count: 2 }]);
    expect(await space.tags.rename('red', 'red')).toBe(2);
    expect(await space.tags.rename('red', 'blue')).toBe(2);
    expect(await space.tags.remove('blue')).toBe(2);
    expect(await space.tags.remove('canary')).toBe(0);
    expect(await space.tags.list()).toEqual([]);
    expect(await catalog.tags.list()).toEqual([
      { tag: 'canary', count: 4 },
      { tag: 'red', count: 4 },
    ]);
  });

  test('renames a tag of very many files', async () => {
    const many = Array.from({ length: 600 }, (_, n) => file(`m/${n % 3}/${n}.jpg`));
    await space.files.put(many);
    await space.tags.change(paths(many).map(at), { add: ['old'] });
    expect(await space.tags.rename('old', 'new')).toBe(600);
    expect(await space.search.total({ text: 'new' }, false, 1000)).toBe(600);
  });

  test('has the trash, the versions and the intents of its own files', async () => {
    expect(paths(await space.trash.page(10))).toEqual(['t.jpg']);
    expect(await space.trash.find('own')).toMatchObject({ path: 't.jpg' });
    for (const id of ['others', 'folder']) expect(await space.trash.find(id)).toBeUndefined();
    expect(await space.trash.latestOf(at(''))).toBeUndefined();
    expect((await space.versions.within(at(''))).toSorted()).toEqual(['v4', 'v5']);
    expect([await space.versions.exists('v4'), await space.versions.exists('v0')]).toEqual([true, false]);
    expect(await space.intents.find(intents.own)).toMatchObject({ from: 't.jpg', to: hiddenPath('own', at('t.jpg')) });
    expect(await space.intents.find(intents.others)).toBeUndefined();
  });

  test('has pages of its trash, latest deletion first', async () => {
    for (const [id, deletedAt] of [
      ['x', 5],
      ['y', 7],
      ['z', 7],
    ] as const)
      await catalog.trash.put({ ...item(id, `customers/acme/b/${id}.jpg`), deletedAt });
    const first = await space.trash.page(2);
    expect(first.map(({ id }) => id)).toEqual(['z', 'y']);
    expect((await space.trash.page(2, positionIn(first[1] as TrashItem))).map(({ id }) => id)).toEqual(['x', 'own']);
    expect((await space.trash.page(10, undefined, at('b'))).map(({ id }) => id)).toEqual(['z', 'y', 'x']);
  });

  test('keeps the row of its root when all its content is removed', async () => {
    await space.folders.remove(at(''));
    expect(await space.usage.total(at(''))).toEqual({ size: 0, fileCount: 0 });
    expect(await catalog.folders.find(ROOT_OF_SPACE.folder)).toBeDefined();
    expect(await catalog.usage.total(at(''))).toMatchObject({ fileCount: 4 });
  });

  test('refuses hidden paths where the trash does not need them', async () => {
    const hidden = hiddenPath('others', at('a.jpg'));
    await expect(space.files.find(hidden)).rejects.toThrow('Expected a path');
    await expect(space.words.patch(hidden, { title: 'x' })).rejects.toThrow('Expected a path');
    await expect(space.usage.total(hiddenFolder('others'))).rejects.toThrow('Expected a path');
  });
}
