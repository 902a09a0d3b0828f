import { expect } from 'vitest';
import { CatalogService } from '../../src/catalog/catalog-service.ts';
import { createSqlCatalog } from '../../src/catalog/sql/catalog.ts';
import { createLocalCluster } from '../../src/cluster/local.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { createLog } from '../../src/log.ts';
import { isWithin, parsePath, ROOT, type StoragePath } from '../../src/path.ts';
import { type BlobStore, type BlobWrites, readsOf, type WriteOptions } from '../../src/storage/blob-store.ts';
import { ExpectedWords } from './expected-words.ts';
import type { Change, Step } from './model.ts';

/** A storage that other programs change too. */
export interface WorldStorage {
  /** Opens it like a starting process. */
  open(): Promise<BlobStore>;
  /**
   * Changes it like another program.
   * @throws when that is impossible
   */
  foreign(change: Change, bytes: Buffer): Promise<void>;
  /** True if files are distinguishable regardless of their bytes. */
  hasIdentity: boolean;
  close?(): void;
}

/** A storage and the database of its catalog. */
export interface World extends WorldStorage {
  database: OpenDatabase;
}

const log = createLog({ level: 'silent', format: 'json' });
const SCAN_MS = 3_600_000;

/** Opens the catalog of a starting process. */
export function openCatalog({ database }: Pick<World, 'database'>, store: BlobStore): CatalogService {
  const rows = createSqlCatalog(database);
  return new CatalogService({ database, rows, store, cluster: createLocalCluster(), log, scanMs: SCAN_MS });
}

/** One process on the world, which can end at any change of the store. */
interface Process {
  store: BlobStore;
  catalog: CatalogService;
  writes: BlobWrites;
  /** Suspends the next change permanently, before or after its effect. Resolves when it is reached. */
  hang(isDone: boolean): Promise<void>;
}

/** Runs steps on a world and compares the catalog with the storage. */
export class Rig {
  readonly #world: World;
  readonly #words: ExpectedWords;
  #process: Process | undefined;
  #made = 0;

  constructor(world: World) {
    this.#world = world;
    this.#words = new ExpectedWords(world.hasIdentity);
  }

  async run(steps: readonly Step[]): Promise<void> {
    await this.#start();
    try {
      for (const step of steps) await this.#do(step);
      await this.#reconcile();
      await this.#check();
    } finally {
      await this.#process?.catalog.close();
    }
  }

  async #start(): Promise<void> {
    const plain = await this.#world.open();
    const { store, hang } = hangable(plain);
    const catalog = openCatalog(this.#world, store);
    await catalog.start();
    this.#process = { store: plain, catalog, writes: catalog.changes(), hang };
  }

  get #now(): Process {
    if (!this.#process) throw new Error('no process');
    return this.#process;
  }

  async #do(step: Step): Promise<void> {
    switch (step.by) {
      case 'service':
        if (await succeeds(apply(this.#now.writes, step.change, this.#bytes()))) this.#words.own(step.change);
        return;
      case 'others':
        if (await succeeds(this.#world.foreign(step.change, this.#bytes()))) this.#words.foreign(step.change);
        return;
      case 'killed':
        return this.#kill(step.change, step.isDone);
      case 'restart':
        await this.#now.catalog.close();
        return this.#start();
      case 'words':
        return this.#giveWords(parsePath(step.path));
      case 'list':
        await this.#now.catalog.revalidate(parsePath(step.path));
        return;
      case 'reconcile':
        return this.#reconcile();
    }
  }

  #bytes(): Buffer {
    return Buffer.from(`bytes ${this.#made++}`.padEnd(10 + (this.#made % 3)));
  }

  async #kill(change: Change, isDone: boolean): Promise<void> {
    const { writes, hang, catalog } = this.#now;
    const hung = hang(isDone);
    const ended = await Promise.race([hung.then(() => 'hung'), succeeds(apply(writes, change, this.#bytes()))]);
    if (ended === true || (ended === 'hung' && isDone)) this.#words.own(change);
    await catalog.close();
    await this.#start();
  }

  /** Sets metadata only on a file whose catalog row is current. */
  async #giveWords(path: StoragePath): Promise<void> {
    const { store, catalog } = this.#now;
    // A copy that still awaits repair would get this metadata, too.
    await catalog.settled();
    const row = await catalog.rows.files.find(path);
    const stat = await store.stat(path);
    if (!row || row.etag !== stat?.etag) return;
    const title = `words ${this.#made++}`;
    const update = this.#world.database.db.updateTable('asset').set({ title, revision: row.revision + 1 });
    await update.where('id', '=', row.id).execute();
    this.#words.give(path, title);
  }

  async #reconcile(): Promise<void> {
    const { catalog } = this.#now;
    await catalog.settled();
    await catalog.reconciliation.run();
    await catalog.settled();
    await this.#checkWords();
  }

  async #checkWords(): Promise<void> {
    const actual = new Map<string, string>();
    for (const path of await this.#paths()) {
      const title = (await this.#now.catalog.rows.files.find(path))?.title;
      if (title) actual.set(path, title);
    }
    this.#words.settle(actual);
  }

  async #paths(): Promise<StoragePath[]> {
    const found: StoragePath[] = [];
    for await (const { path } of this.#now.store.walk(ROOT)) found.push(path);
    return found.sort();
  }

  /** Checks that rows and tree agree: paths, sizes, versions, sums; nothing is pending. */
  async #check(): Promise<void> {
    const { store, catalog } = this.#now;
    const { rows } = catalog;
    const stored = new Map<string, unknown>();
    const known = new Map<string, unknown>();
    let size = 0;
    for await (const { path, ...stat } of store.walk(ROOT)) {
      stored.set(path, [stat.size, stat.etag, stat.fileId ?? null]);
      size += stat.size;
    }
    const folders = await store.folders();
    expect((await rows.folders.below(ROOT)).map(({ path }) => path)).toEqual(folders);
    for (const folder of [ROOT, ...folders])
      for (const file of await rows.files.page(folder, undefined, 1000))
        known.set(file.path, [file.size, file.etag, file.fileId]);
    expect(known).toEqual(new Map([...stored].sort(([one], [other]) => (one < other ? -1 : 1))));
    expect(await rows.usage.total(ROOT)).toEqual({ size, fileCount: stored.size });
    expect(await rows.intents.list()).toEqual([]);
    for (const folder of folders) {
      const within = [...stored].filter(([path]) => isWithin(path as StoragePath, folder));
      const total = within.reduce((sum, [, value]) => sum + (value as [number])[0], 0);
      expect(await rows.usage.total(folder)).toEqual({ size: total, fileCount: within.length });
    }
  }
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Applies a change through the writes of a store. */
export function apply(writes: BlobWrites, change: Change, bytes: Buffer): Promise<unknown> {
  const path = parsePath(change.path);
  const to = 'to' in change ? parsePath(change.to) : ROOT;
  switch (change.type) {
    case 'write':
      return writes.write(
        path,
        (async function* () {
          yield bytes;
        })(),
      );
    case 'remove':
    case 'createFolder':
    case 'removeFolder':
      return writes[change.type](path);
    case 'move':
    case 'copy':
      return writes[change.type](path, to);
    case 'moveFolder':
      return writes.moveFolder(path, to);
  }
}

/** Returns a store whose next change can be suspended permanently. */
function hangable(plain: BlobStore): { store: BlobStore; hang: Process['hang'] } {
  let order: { isDone: boolean; reached: () => void } | undefined;
  const wrap =
    <A extends unknown[], T>(change: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      if (!order) return change(...given);
      const { isDone, reached } = order;
      const result = isDone ? await change(...given) : undefined;
      // A write records its intent when the store is about to change.
      const [, , options] = given as unknown as [unknown, unknown, WriteOptions?];
      if (!isDone) await options?.begin?.();
      reached();
      await new Promise(() => undefined);
      return result as T;
    };
  const writes: BlobWrites = {
    write: wrap(plain.write.bind(plain)),
    adopt: wrap(plain.adopt.bind(plain)),
    copy: wrap(plain.copy.bind(plain)),
    move: wrap(plain.move.bind(plain)),
    remove: wrap(plain.remove.bind(plain)),
    createFolder: wrap(plain.createFolder.bind(plain)),
    moveFolder: wrap(plain.moveFolder.bind(plain)),
    removeFolder: wrap(plain.removeFolder.bind(plain)),
  };
  return {
    store: { ...readsOf(plain), ...writes },
    hang: (isDone) => new Promise((resolve) => (order = { isDone, reached: resolve })),
  };
}
