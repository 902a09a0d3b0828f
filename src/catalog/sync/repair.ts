import type { PathLock } from '../../cluster/cluster.ts';
import { parentOf, type StoragePath } from '../../path.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { FileEvent } from '../file-events.ts';
import type { FileEntry, Intent } from '../records.ts';
import { eventOf } from './change-event.ts';
import { findLeaving } from './leaving.ts';

export type IntentKind = 'write' | 'copy' | 'move' | 'remove' | 'createFolder' | 'moveFolder' | 'removeFolder';

export interface RepairOptions {
  rows: CatalogStore;
  store: BlobReads;
  lock: PathLock;
  /** Makes the rows of a folder, and of all below it, those of the store. @param madeUp the change that left them as they are */
  scanFolder(folder: StoragePath, madeUp?: Intent): Promise<void>;
  /** Ends it: what was begun stays written down. */
  signal: AbortSignal;
}

/** Makes rows equal to the store where somebody has said to look. Nothing of this looks at anything else. */
export class Repair {
  readonly #options: RepairOptions;

  constructor(options: RepairOptions) {
    this.#options = options;
  }

  /** Makes up for a change that was begun, and of which nobody knows how far it came. */
  async intent(intent: Intent): Promise<void> {
    const { rows, lock } = this.#options;
    const { id, kind, from, to } = intent;
    if (kind === 'moveFolder' && to !== null) await this.#movedFolder(intent, to);
    else if (kind === 'removeFolder') await this.folder(from, intent);
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

  /** Makes the rows of a folder right, with those below it. @param madeUp the change that left them as they are */
  async folder(folder: StoragePath, madeUp?: Intent): Promise<void> {
    const { rows, lock, scanFolder } = this.#options;
    const isThere = await lock.run([folder], async () => {
      const isFolder = await this.#isFolder(folder);
      if (isFolder) await rows.folders.add(folder);
      else if (!(await findLeaving(rows, madeUp))(folder)) await rows.folders.remove(folder);
      if (!isFolder) await this.#look(folder);
      return isFolder;
    });
    if (isThere) await scanFolder(folder, madeUp);
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
  async #movedFolder(intent: Intent, to: StoragePath): Promise<void> {
    const { store, lock, signal } = this.#options;
    const { from } = intent;
    const [isOld, isNew] = [await this.#isFolder(from), await this.#isFolder(to)];
    const isWhole = isNew && !isOld && (await lock.run([from, to], () => this.#cameWhole(from, to)));
    if (isNew && !isWhole)
      for await (const { path } of store.walk(to)) {
        signal.throwIfAborted();
        await this.#cameAlone((from + path.slice(to.length)) as StoragePath, path, isOld);
      }
    await this.folder(to, intent);
    await this.folder(from, intent);
  }

  /** @returns false where others have made rows of the new folder since */
  async #cameWhole(from: StoragePath, to: StoragePath): Promise<boolean> {
    const { folders } = this.#options.rows;
    if (await folders.find(to)) return false;
    await folders.move(from, to);
    return true;
  }

  /**
   * A file of a folder that has come in part, or to a place where others have come too.
   * @param isTold where the event of the folder would tell of too much, each file has one of its own
   */
  async #cameAlone(from: StoragePath, to: StoragePath, isTold: boolean): Promise<void> {
    const { rows, store, lock } = this.#options;
    await lock.run([from, to], async () => {
      const [source, known] = [await rows.files.find(from), await rows.files.find(to)];
      if (known && !source) return;
      const entry = await this.#entry(to);
      // A row that was written since may be that of a file of others.
      if (!entry || (known && isOther(source, entry, false))) return;
      const isLeft = (await store.stat(from)) !== undefined;
      const kind = isLeft ? 'copy' : 'move';
      // What was never in the old folder was put here by others.
      const isOurs = isLeft || source !== undefined;
      const event = isTold && isOurs ? eventOf({ kind, from, to }, entry) : undefined;
      await rows.inOneStep(async (step) => {
        await step.files[kind](from, entry);
        if (event) await step.events.add([event]);
      });
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
