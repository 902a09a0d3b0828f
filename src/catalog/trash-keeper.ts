import { randomUUID } from 'node:crypto';
import { mediaTypeOf } from '../media.ts';
import { parentOf, type StoragePath } from '../path.ts';
import type { Attic } from '../storage/attic.ts';
import { BlobConflict, BlobExists, BlobNotFound, type BlobStore, missing } from '../storage/blob-store.ts';
import type { CatalogStore } from './catalog-store.ts';
import { hiddenFolder, hiddenId, hiddenPath } from './hidden.ts';
import { RESTORE, TRASH, type TrashItem } from './kept-rows.ts';
import { eventOfGiven, eventOfKept, eventOfLeaving, followFiles, type MovingFile } from './moving-files.ts';
import type { Intent, Usage } from './records.ts';

export interface TrashKeeperOptions {
  catalog: CatalogStore;
  attic: Attic;
  store: Pick<BlobStore, 'stat' | 'folderExists' | 'folderMark' | 'walk'>;
  /** The name of this process. */
  node: string;
  /** How long an item stays, in milliseconds. */
  keepMs: number;
}

/** A node that has lost touch may still be about to remove what it has copied: for so long, nobody takes its copy away. */
const PATIENCE_MS = 60 * 60 * 1000;

/**
 * Moves files and folders into the trash and back, bytes and rows. Both are changes that are written down before they begin: whoever
 * is killed in the middle leaves the file or the item, or both, and `repair` makes the rows agree. The caller holds the paths.
 */
export class TrashKeeper {
  readonly #options: TrashKeeperOptions;
  /** The intents of changes that this process is making. */
  readonly #underWay = new Set<string>();

  constructor(options: TrashKeeperOptions) {
    this.#options = options;
  }

  /** @throws BlobNotFound */
  async keep(path: StoragePath): Promise<TrashItem> {
    const id = randomUUID();
    const intent = await this.#begin(TRASH, path, hiddenPath(id, path));
    try {
      await this.#options.attic.keep(path, id);
      return await this.#settleKept(intent, id);
    } catch (error) {
      await this.repair(intent).catch(() => undefined);
      throw error;
    } finally {
      this.#underWay.delete(intent.id);
    }
  }

  /** @throws BlobNotFound, BlobExists, BlobConflict */
  async giveBack(item: TrashItem, to: StoragePath): Promise<void> {
    const intent = await this.#begin(RESTORE, hiddenPath(item.id, item.path), to);
    try {
      await this.#options.attic.giveBack(item.id, to);
      await this.#settleGiven(intent, item);
    } catch (error) {
      const isUntouched = [BlobNotFound, BlobExists, BlobConflict].some((kind) => error instanceof kind);
      if (isUntouched) await this.#options.catalog.intents.finish(intent.id);
      else await this.repair(intent).catch(() => undefined);
      throw error;
    } finally {
      this.#underWay.delete(intent.id);
    }
  }

  /** Whether a change that was begun has not come to its end, and nobody is making it. */
  async isLeft({ id, node }: Intent, isAlive: (node: string) => Promise<boolean>): Promise<boolean> {
    return node === this.#options.node ? !this.#underWay.has(id) : !(await isAlive(node));
  }

  /** Removes an item for good, with the versions of its files. */
  async remove({ id }: TrashItem): Promise<void> {
    const { catalog, attic } = this.#options;
    const versions = await catalog.versions.within(hiddenFolder(id));
    for (const version of versions) await attic.remove(version);
    await catalog.versions.remove(versions);
    await attic.remove(id);
    await catalog.folders.remove(hiddenFolder(id));
    await catalog.trash.remove(id);
  }

  /** Makes rows and bytes agree after a change that did not come to its end. @returns false for a change of another kind */
  async repair(intent: Intent): Promise<boolean> {
    const { catalog, attic, store } = this.#options;
    const { kind, from, to } = intent;
    const id = hiddenId(kind === RESTORE ? from : (to ?? from));
    if ((kind !== TRASH && kind !== RESTORE) || id === undefined) return false;
    const kept = await attic.stat(id);
    if (kind === RESTORE) {
      const item = await catalog.trash.find(id);
      if (item) await this.#settleGiven(intent, item);
      else await catalog.intents.finish(intent.id);
    } else if (!kept) {
      await catalog.intents.finish(intent.id);
    } else if (!kept.isFolder && (await store.stat(from))?.etag === kept.etag) {
      // It was copied and not yet removed: it has not left.
      const isOwn = intent.node === this.#options.node;
      if (!isOwn && Date.now() - intent.createdAt < PATIENCE_MS) return true;
      await attic.remove(id);
      await catalog.intents.finish(intent.id);
    } else {
      await this.#settleKept(intent, id);
    }
    return true;
  }

  async #begin(kind: string, from: StoragePath, to: StoragePath): Promise<Intent> {
    const change = { kind, from, to, node: this.#options.node };
    const id = await this.#options.catalog.intents.begin(change);
    this.#underWay.add(id);
    return { ...change, id, createdAt: Date.now() };
  }

  async #settleKept({ id: intentId, from, createdAt }: Intent, id: string): Promise<TrashItem> {
    const { catalog, attic, store, keepMs } = this.#options;
    const to = hiddenPath(id, from);
    const kept = await attic.stat(id);
    if (!kept) throw missing(from);
    const usage = await this.#usageOf(id);
    const kind = kept.isFolder ? 'folder' : mediaTypeOf(from).kind;
    const item: TrashItem = { id, path: from, kind, ...usage, deletedAt: createdAt, expiresAt: createdAt + keepMs };
    const isThere = kept.isFolder ? await store.folderExists(from) : Boolean(await store.stat(from));
    const isInPart = isThere && kept.isFolder;
    if (isThere) await followFiles(catalog, this.#filesThatLeft(id, from, to), isInPart ? eventOfLeaving : () => []);
    await catalog.inOneStep(async (rows) => {
      await rows.trash.put(item);
      if (!isThere && kept.isFolder) await rows.folders.move(from, to);
      if (!isThere && !kept.isFolder) await rows.files.move(from, { ...kept, path: to });
      if (!isInPart) await rows.events.add([eventOfKept(from, kept.isFolder)]);
      await rows.intents.finish(intentId);
    });
    return item;
  }

  /** The files of an item, of which some may be where they were: copies on their way, or new ones. */
  async *#filesThatLeft(id: string, from: StoragePath, to: StoragePath): AsyncGenerator<MovingFile> {
    for await (const entry of this.#options.attic.files(id)) {
      const old = below(from, entry.path);
      const isLeft = Boolean(await this.#options.store.stat(old));
      yield { from: old, to: { ...entry, path: below(to, entry.path) }, isLeft };
    }
  }

  async #settleGiven(intent: Intent, item: TrashItem): Promise<void> {
    const { catalog, attic } = this.#options;
    const to = intent.to ?? item.path;
    const { id } = item;
    const kept = await attic.stat(id);
    if (item.kind !== 'folder') return this.#settleGivenFile(intent, item, to);
    if (kept) return this.#settleHalf(intent, item, to);
    const isPlain = await this.#isPlain(to);
    await catalog.inOneStep(async (rows) => {
      if (isPlain) {
        await rows.folders.move(intent.from, to);
        await rows.folders.setMark(to, null);
      }
      await rows.folders.remove(hiddenFolder(id));
      await rows.trash.remove(id);
      await rows.events.add([{ type: 'file.stored', path: to, isFolder: true, trash: 'out' }]);
      await rows.intents.finish(intent.id);
    });
  }

  async #settleGivenFile(intent: Intent, { id }: TrashItem, to: StoragePath): Promise<void> {
    const { catalog, attic, store } = this.#options;
    const [kept, given] = [await attic.stat(id), await store.stat(to)];
    const isGiven = !kept || (!kept.isFolder && given?.etag === kept.etag);
    if (isGiven && kept) await attic.remove(id);
    const isPlain = await this.#isPlain(to);
    await catalog.inOneStep(async (rows) => {
      if (isGiven) {
        if (given && isPlain) await rows.files.move(intent.from, { ...given, path: to });
        await rows.folders.remove(hiddenFolder(id));
        await rows.trash.remove(id);
        if (given) await rows.events.add(eventOfGiven({ to: { ...given, path: to } }));
      }
      await rows.intents.finish(intent.id);
    });
  }

  /** A folder of which a part is back and a part is not. What is back has its words. */
  async #settleHalf(intent: Intent, item: TrashItem, to: StoragePath): Promise<void> {
    const { catalog } = this.#options;
    const isPlain = await this.#isPlain(to);
    if (isPlain) await followFiles(catalog, this.#filesThatCameBack(intent.from, item.id, to), eventOfGiven);
    const usage = await this.#usageOf(item.id);
    await catalog.inOneStep(async (rows) => {
      await rows.trash.put({ ...item, ...usage });
      await rows.intents.finish(intent.id);
    });
  }

  /** Without what others have put there meanwhile. */
  async *#filesThatCameBack(hidden: StoragePath, id: string, to: StoragePath): AsyncGenerator<MovingFile> {
    const { catalog, attic, store } = this.#options;
    const kept = new Map<StoragePath, number>();
    for await (const { path, size } of attic.files(id)) kept.set(path, size);
    for await (const entry of store.walk(to)) {
      const name = entry.path.slice(to.length + 1) as StoragePath;
      const from = below(hidden, name);
      // A copy may have another etag than what was copied.
      const isOurs = (kept.get(name) ?? entry.size) === entry.size && (await catalog.files.find(from));
      if (isOurs) yield { from, to: entry, isLeft: false };
    }
  }

  /** What lies behind a link has no row. */
  async #isPlain(path: StoragePath): Promise<boolean> {
    return (await this.#options.store.folderMark(parentOf(path))) !== null;
  }

  async #usageOf(id: string): Promise<Usage> {
    const usage = { size: 0, fileCount: 0 };
    for await (const { size } of this.#options.attic.files(id)) {
      usage.size += size;
      usage.fileCount++;
    }
    return usage;
  }
}

const below = (folder: StoragePath, path: string) => (path === '' ? folder : `${folder}/${path}`) as StoragePath;
