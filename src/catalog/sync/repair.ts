import type { PathLock } from '../../cluster/cluster.ts';
import { parentOf, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { FileEvent } from '../file-events.ts';
import { filePages } from '../file-pages.ts';
import type { FileEntry, Intent } from '../records.ts';
import { eventOf } from './change-event.ts';
import { findLeaving } from './leaving.ts';

export type IntentKind = 'write' | 'copy' | 'move' | 'remove' | 'createFolder' | 'moveFolder' | 'removeFolder';

export interface RepairOptions {
  rows: CatalogStore;
  store: BlobReads;
  lock: PathLock;
  /** Makes the rows of a folder, and of all below it, those of the store. */
  scanFolder(folder: StoragePath): Promise<void>;
}

/** Makes rows equal to the store where somebody has said to look. Nothing of this looks at anything else. */
export class Repair {
  readonly #options: RepairOptions;

  constructor(options: RepairOptions) {
    this.#options = options;
  }

  /** Makes up for a change that was begun, and of which nobody knows how far it came. */
  async intent({ id, kind, from, to }: Intent): Promise<void> {
    const { rows, lock } = this.#options;
    if (kind === 'moveFolder' && to !== null) await this.#movedFolder(from, to);
    else if (kind === 'removeFolder') await this.#removedFolder(from);
    else if (kind === 'createFolder') await this.folder(from);
    else if (to === null) await this.file(from);
    else await lock.run([from, to], () => this.#relocated(from, to, kind === 'copy'));
    for (const path of [from, to]) if (path !== null) await rows.folders.setMark(parentOf(path), null);
    const event = await this.#eventOf({ kind, from, to });
    await rows.inOneStep(async (step) => {
      if (event) await step.events.add([event]);
      await step.intents.finish(id);
    });
  }

  /** What others are told of a change that is found to have been made. Some may hear of it twice. */
  async #eventOf(change: Pick<Intent, 'kind' | 'from' | 'to'>): Promise<FileEvent | undefined> {
    const { store } = this.#options;
    const { kind, from, to } = change;
    const isFolder = kind.endsWith('Folder');
    const look = (path: StoragePath) => (isFolder ? store.folderExists(path) : store.stat(path));
    const hasLeft = ['move', 'moveFolder', 'remove', 'removeFolder'].includes(kind);
    if (hasLeft && (await look(from))) return undefined;
    const result = kind.startsWith('remove') ? true : await look(to ?? from);
    return result ? eventOf(change, result) : undefined;
  }

  /** Makes the row of one file right. */
  async file(path: StoragePath): Promise<void> {
    await this.#options.lock.run([path], () => this.#look(path));
  }

  /** Makes the rows of a folder right, with those below it. */
  async folder(folder: StoragePath): Promise<void> {
    const { rows, lock, scanFolder } = this.#options;
    const isThere = await lock.run([folder], async () => {
      const isFolder = await this.#isFolder(folder);
      if (isFolder) await rows.folders.add(folder);
      else if (!(await findLeaving(rows))(folder)) await rows.folders.remove(folder);
      if (!isFolder) await this.#look(folder);
      return isFolder;
    });
    if (isThere) await scanFolder(folder);
  }

  async #look(path: StoragePath): Promise<void> {
    const { rows } = this.#options;
    const entry = await this.#entry(path);
    if (entry) await rows.files.put([entry]);
    else if (!(await findLeaving(rows))(path)) await rows.files.remove([path]);
  }

  async #relocated(from: StoragePath, to: StoragePath, isCopy: boolean): Promise<void> {
    const { rows } = this.#options;
    const [source, target] = [await this.#entry(from), await this.#entry(to)];
    const known = await rows.files.find(to);
    if (!target || known?.etag === target.etag || isOther(await rows.files.find(from), target, isCopy)) {
      await this.#look(to);
    } else if (source) await rows.files.copy(from, target);
    else await rows.files.move(from, target);
    await this.#look(from);
  }

  /** A folder may have come in part: what is only in the new one has been moved, and what is in both has been copied so far. */
  async #movedFolder(from: StoragePath, to: StoragePath): Promise<void> {
    const { rows, store, lock } = this.#options;
    await lock.run([from, to], async () => {
      const [isOld, isNew] = [await this.#isFolder(from), await this.#isFolder(to)];
      if (isNew && !isOld && !(await rows.folders.find(to))) await rows.folders.move(from, to);
      if (!isNew || !isOld) return;
      for await (const { path, ...stat } of store.walk(to)) {
        const old = (from + path.slice(to.length)) as StoragePath;
        if (!(await rows.files.find(path))) await this.#cameAlone(old, { path, ...stat });
      }
    });
    await this.folder(to);
    await this.folder(from);
  }

  /** A file of a folder that is still there. The event of the folder would tell of too much, so each file has one of its own. */
  async #cameAlone(from: StoragePath, entry: FileEntry): Promise<void> {
    const { rows, store } = this.#options;
    const isLeft = (await store.stat(from)) !== undefined;
    const kind = isLeft ? 'copy' : 'move';
    // What was never in the old folder was put here by others.
    const isOurs = isLeft || (await rows.files.find(from)) !== undefined;
    const event = isOurs ? eventOf({ kind, from, to: entry.path }, entry) : undefined;
    await rows.inOneStep(async (step) => {
      await step.files[kind](from, entry);
      if (event) await step.events.add([event]);
    });
  }

  /** A folder that is still there was removed in part: each file that is gone is told of by itself. */
  async #removedFolder(folder: StoragePath): Promise<void> {
    const { rows, store, lock } = this.#options;
    await lock.run([folder], async () => {
      if (!(await this.#isFolder(folder))) return;
      const isLeaving = await findLeaving(rows);
      for (const one of [folder, ...(await rows.folders.below(folder)).map(({ path }) => path)])
        for await (const page of filePages(rows, one))
          for (const { path } of page) if (!isLeaving(path) && !(await store.stat(path))) await this.#wentAlone(path);
    });
    await this.folder(folder);
  }

  async #wentAlone(path: StoragePath): Promise<void> {
    const event = eventOf({ kind: 'remove', from: path }, true);
    await this.#options.rows.inOneStep(async (step) => {
      await step.files.remove([path]);
      if (event) await step.events.add([event]);
    });
  }

  /** What lies behind a link has no row. */
  async #entry(path: StoragePath): Promise<FileEntry | undefined> {
    const { store } = this.#options;
    if ((await store.folderMark(parentOf(path))) === null) return undefined;
    const stat = await store.stat(path);
    return stat && { path, ...stat };
  }

  async #isFolder(folder: StoragePath): Promise<boolean> {
    const { store } = this.#options;
    const isPlain = (await store.folderMark(parentOf(folder))) !== null;
    return isPlain && (await store.folderExists(folder));
  }
}

/** Whether a file that has taken the place is another one than was to come. */
function isOther(source: { size: number } | undefined, target: FileEntry, isCopy: boolean): boolean {
  return source === undefined || (source.size !== target.size && !isCopy);
}
