import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CatalogService } from '../../src/catalog/catalog-service.ts';
import type { IntentKind } from '../../src/catalog/records.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { createLocalCluster } from '../../src/cluster/local.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { createLog } from '../../src/log.ts';
import { parsePath, ROOT } from '../../src/path.ts';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { hearEvents } from '../event-sink.ts';
import { createMemoryStore } from '../memory-store.ts';
import { textBlobs } from '../text-blobs.ts';

let folder: string;
let database: OpenDatabase;
let store: BlobStore;
let told: string[];
const keepers: CatalogService[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-half-made-'));
  database = await openDatabase({ file: join(folder, 'darkroom.db') });
  store = createMemoryStore({ temp: folder });
  told = [];
});
afterEach(async () => {
  await Promise.all(keepers.splice(0).map((keeper) => keeper.close()));
  await database.close();
  await rm(folder, { recursive: true });
});

const blobs = textBlobs(() => store);

/** Opens a process that knows all files of the folder, each with a title. */
async function openKeeper(): Promise<CatalogService> {
  const sink = hearEvents(({ type, from, path }) => told.push([type, from, path].filter(Boolean).join(' ')));
  const rows = createSqlCatalog(database, undefined, sink);
  const cluster = { ...createLocalCluster(), isAlive: async (node: string) => node !== 'gone' };
  const log = createLog({ level: 'silent', format: 'json' });
  const keeper = new CatalogService({ database, rows, store, cluster, log, scanMs: 0 });
  keepers.push(keeper);
  for (const name of ['a.png', 'b.png', 'c.png']) await blobs.put(`tour/${name}`);
  await keeper.reconciliation.run();
  for (const name of ['a.png', 'b.png', 'c.png'])
    await rows.words.patch(parsePath(`tour/${name}`), { title: `title of ${name}` });
  return keeper;
}

/** Actions before the change is recovered: each discovers in its own way that the file is missing. */
const MEANWHILE: Record<string, (keeper: CatalogService) => Promise<unknown>> = {
  'nobody looks': async () => undefined,
  'somebody asks for the file that has gone': async (keeper) => {
    keeper.notice(parsePath('tour/b.png'), undefined);
    await keeper.settled();
  },
  'somebody asks for the file that has come': async (keeper) => {
    const path = parsePath('trip/b.png');
    keeper.notice(path, await store.stat(path));
    await keeper.settled();
  },
  'everything is compared': (keeper) => keeper.reconciliation.run(),
  'the folder is listed': (keeper) => keeper.revalidate(parsePath('tour')),
};
const WAYS = Object.keys(MEANWHILE);

/** Lets a process end that had begun this; its successor recovers it. */
async function makeUp(keeper: CatalogService, kind: string, from: string, to: string | null): Promise<void> {
  expect(await keeper.rows.intents.list()).toMatchObject([{ kind, from, to }]);
  await keeper.start();
  await expect.poll(() => keeper.rows.intents.list()).toEqual([]);
  await keeper.settled();
}

const titleAt = async (keeper: CatalogService, path: string) => (await keeper.rows.files.find(parsePath(path)))?.title;

describe('a folder of which a part was changed when the process ended tells of each file, where meanwhile', () => {
  test.each(WAYS)('it is moved, and %s', async (way) => {
    const keeper = await openKeeper();
    const from = parsePath('tour');
    const to = parsePath('trip');
    await keeper.rows.intents.begin({ node: 'gone', kind: 'moveFolder', from, to });
    for (const name of ['a.png', 'b.png', 'c.png']) await blobs.put(`trip/${name}`, `tour/${name}`);
    await store.remove(parsePath('tour/b.png'));
    await MEANWHILE[way]?.(keeper);
    await makeUp(keeper, 'moveFolder', from, to);
    expect(told.toSorted()).toEqual([
      'file.moved tour/b.png trip/b.png',
      'file.stored trip/a.png',
      'file.stored trip/c.png',
    ]);
    expect(await titleAt(keeper, 'trip/b.png')).toBe('title of b.png');
    expect(await titleAt(keeper, 'tour/b.png')).toBeUndefined();
  });

  test.each(WAYS)('it is removed, and %s', async (way) => {
    const keeper = await openKeeper();
    await blobs.put('tour/deep/d.png');
    await keeper.reconciliation.run();
    const from = parsePath('tour');
    await keeper.rows.intents.begin({ node: 'gone', kind: 'removeFolder', from, to: null });
    await store.remove(parsePath('tour/b.png'));
    await store.removeFolder(parsePath('tour/deep'));
    await MEANWHILE[way]?.(keeper);
    await makeUp(keeper, 'removeFolder', from, null);
    expect(told.toSorted()).toEqual(['file.deleted tour/b.png', 'file.deleted tour/deep']);
    expect(await titleAt(keeper, 'tour/b.png')).toBeUndefined();
    expect(await titleAt(keeper, 'tour/a.png')).toBe('title of a.png');
  });
});

test.each(WAYS)(
  'a folder that had come as a whole is told of as one, with its words, where meanwhile %s',
  async (way) => {
    const keeper = await openKeeper();
    const from = parsePath('tour');
    const to = parsePath('trip');
    await keeper.rows.intents.begin({ node: 'gone', kind: 'moveFolder', from, to });
    for (const name of ['a.png', 'b.png', 'c.png']) await blobs.put(`trip/${name}`, `tour/${name}`);
    await store.removeFolder(from);
    await MEANWHILE[way]?.(keeper);
    await makeUp(keeper, 'moveFolder', from, to);
    expect(told).toEqual(['file.moved tour trip']);
    expect(await titleAt(keeper, 'trip/a.png')).toBe('title of a.png');
    expect(await titleAt(keeper, 'trip/b.png')).toBe('title of b.png');
    expect(await keeper.rows.folders.find(from)).toBeUndefined();
  },
);

describe.each(WAYS)(
  'the redirects of a change that was made when the process ended follow it, where meanwhile %s',
  (way) => {
    const redirectsOf = async (keeper: CatalogService) =>
      (await keeper.rows.redirects.page(10)).map(({ from, to }) => `${from} ${to}`);

    /** Opens a process whose files have redirects. */
    async function openRedirected(): Promise<CatalogService> {
      const keeper = await openKeeper();
      const createdAt = 1;
      const put = (from: string, to: string, isFolder: boolean) =>
        keeper.rows.redirects.put({ from: parsePath(from), to: parsePath(to), isFolder, createdAt }, true);
      await put('old.png', 'tour/b.png', false);
      await put('former', 'tour', true);
      return keeper;
    }

    async function end(
      keeper: CatalogService,
      kind: IntentKind,
      from: string,
      to: string | null,
      change: () => unknown,
    ) {
      const target = to === null ? null : parsePath(to);
      await keeper.rows.intents.begin({ node: 'gone', kind, from: parsePath(from), to: target });
      await change();
      await MEANWHILE[way]?.(keeper);
      await makeUp(keeper, kind, from, to);
      return redirectsOf(keeper);
    }

    test('a moved file', async () => {
      const move = () => store.move(parsePath('tour/b.png'), parsePath('trip/b.png'));
      const left = await end(await openRedirected(), 'move', 'tour/b.png', 'trip/b.png', move);
      expect(left).toEqual(['former tour', 'old.png trip/b.png']);
    });

    test('a moved folder', async () => {
      const move = () => store.moveFolder(parsePath('tour'), parsePath('trip'));
      const left = await end(await openRedirected(), 'moveFolder', 'tour', 'trip', move);
      expect(left).toEqual(['former trip', 'old.png trip/b.png']);
    });

    test('a deleted file', async () => {
      const remove = () => store.remove(parsePath('tour/b.png'));
      expect(await end(await openRedirected(), 'remove', 'tour/b.png', null, remove)).toEqual(['former tour']);
    });

    test('a deleted folder', async () => {
      const remove = () => store.removeFolder(parsePath('tour'));
      expect(await end(await openRedirected(), 'removeFolder', 'tour', null, remove)).toEqual([]);
    });

    test('a move that was not made', async () => {
      const left = await end(await openRedirected(), 'move', 'tour/b.png', 'trip/b.png', () => undefined);
      expect(left).toEqual(['former tour', 'old.png tour/b.png']);
    });
  },
);

test('a file of a folder that was copied in part keeps what people have said of it since', async () => {
  const keeper = await openKeeper();
  const from = parsePath('tour');
  const to = parsePath('trip');
  await keeper.rows.intents.begin({ node: 'gone', kind: 'moveFolder', from, to });
  await blobs.put('trip/a.png', 'tour/a.png');
  await keeper.reconciliation.run();
  await keeper.rows.words.patch(parsePath('trip/a.png'), { title: 'a better title' });
  await makeUp(keeper, 'moveFolder', from, to);
  expect(await titleAt(keeper, 'trip/a.png')).toBe('a better title');
  expect(await titleAt(keeper, 'tour/a.png')).toBe('title of a.png');
});

const NEW_FOLDER = 'deep/new';
/** Changes that create the folder `deep/new` before anything else. */
const CREATING: Record<string, { kind: IntentKind; from: string; to: string | null }> = {
  'a file that was written': { kind: 'write', from: `${NEW_FOLDER}/a.png`, to: null },
  'a file that was copied': { kind: 'copy', from: 'tour/a.png', to: `${NEW_FOLDER}/a.png` },
  'a file that was moved': { kind: 'move', from: 'tour/a.png', to: `${NEW_FOLDER}/a.png` },
  'a folder that was created': { kind: 'createFolder', from: `${NEW_FOLDER}/trip`, to: null },
  'a folder that was moved': { kind: 'moveFolder', from: 'tour', to: `${NEW_FOLDER}/trip` },
};

describe('a folder that was created when the process ended is catalogued, without', () => {
  test.each(Object.entries(CREATING))('%s', async (_what, { kind, from, to }) => {
    const keeper = await openKeeper();
    await keeper.rows.intents.begin({
      node: 'gone',
      kind,
      from: parsePath(from),
      to: to === null ? null : parsePath(to),
    });
    await store.createFolder(parsePath(NEW_FOLDER));
    await makeUp(keeper, kind, from, to);
    expect((await keeper.rows.folders.below(ROOT)).map(({ path }) => path)).toEqual(['deep', NEW_FOLDER, 'tour']);
    expect(told).toEqual([]);
    expect(await titleAt(keeper, 'tour/a.png')).toBe('title of a.png');
  });
});
