import type { PathLock } from '../../cluster/cluster.ts';
import { baseName, parentOf, type StoragePath } from '../../path.ts';
import { type BlobReads, isTaken, type MoveRecovery } from '../../storage/blob-store.ts';
import { inParallel } from '../../storage/in-parallel.ts';
import type { CatalogStore } from '../catalog-store.ts';
import type { FileEvent } from '../file-events.ts';
import type { CHANGE_KINDS, FileEntry, Intent, IntentKind, KnownFile } from '../records.ts';
import { eventsOf } from './change-event.ts';
import { findLeaving } from './leaving.ts';
import type { Recover } from './recovery.ts';
import { addStoredParents } from './stored-folders.ts';

/** Number of files of a moved folder that are recovered concurrently. */
const CONCURRENCY = 8;

/** Changes after which nothing is left at their path. */
const LEAVING: readonly IntentKind[] = ['move', 'moveFolder', 'remove', 'removeFolder'];

export interface RepairOptions {
  rows: CatalogStore;
  store: BlobReads & MoveRecovery;
  lock: PathLock;
  /**
   * Makes the rows of a folder, and of all below it, equal to the store. @param recovered the change that left them as
   * they are
   */
  scanFolder(folder: StoragePath, recovered?: Intent): Promise<void>;
  /** Aborts the work; intents remain recorded. */
  signal: AbortSignal;
}

/** Makes rows equal to the store at the paths of an intent, and reads no others. */
export class Repair {
  readonly #options: RepairOptions;

  /** Recovery of each kind of change. */
  readonly table: Readonly<Record<(typeof CHANGE_KINDS)[number], Recover>>;

  constructor(options: RepairOptions) {
    this.#options = options;
    const file: Recover = (intent) => this.#recoverFile(intent, () => this.file(intent.from, intent));
    const folder: Recover = (intent) => this.#recoverFolder(intent, () => this.folder(intent.from, intent));
    this.table = {
      write: file,
      remove: file,
      copy: (intent) => this.#recoverFile(intent, (to) => this.#relocated(intent, to)),
      move: (intent) => this.#recoverFile(intent, (to) => this.#relocated(intent, to)),
      createFolder: folder,
      removeFolder: folder,
      moveFolder: (intent) => this.#recoverFolder(intent, (to) => this.#movedFolder(intent, to)),
    };
  }

  async #recoverFile(intent: Intent, repairRows: (to: StoragePath) => Promise<void>): Promise<void> {
    await repairRows(intent.to ?? intent.from);
    await this.#finish(intent, await this.#eventsOfFile(intent));
  }

  /** Recovers a folder; the events are added where its state is found. */
  async #recoverFolder(intent: Intent, repairRows: (to: StoragePath) => Promise<void>): Promise<void> {
    await repairRows(intent.to ?? intent.from);
    await this.#finish(intent, []);
  }

  async #finish(intent: Intent, events: FileEvent[]): Promise<void> {
    const { rows, store, lock } = this.#options;
    const { from, to } = intent;
    const target = to ?? from;
    await lock.run([target], () => addStoredParents(target, store, rows));
    for (const path of [from, to]) if (path !== null) await rows.folders.setFingerprint(parentOf(path), null);
    const hasLeft = LEAVING.includes(intent.kind) && !(await isTaken(store, from));
    const hasCome = to !== null && hasLeft && (await isTaken(store, to));
    await rows.inOneStep(async (step) => {
      // The rows may have followed before, by another way.
      if (to !== null && hasCome) await step.redirects.follow(from, to);
      if (to === null && hasLeft) await step.redirects.removeTo(from);
      await step.events.add(events);
      await step.intents.finish(intent);
    });
  }

  /** Returns the events of a change that has been made. Subscribers may receive some twice. */
  async #eventsOfFile(change: Pick<Intent, 'kind' | 'from' | 'to'>): Promise<FileEvent[]> {
    const { store } = this.#options;
    const { kind, from, to } = change;
    if ((kind === 'move' || kind === 'remove') && (await store.stat(from))) return [];
    const result = kind === 'remove' ? true : await store.stat(to ?? from);
    return result ? eventsOf(change, result) : [];
  }

  /** Reports a whole folder before its rows follow: after a crash in between it is reported again. */
  async #reportAll(change: Intent): Promise<void> {
    await this.#options.rows.events.add(eventsOf(change, true));
  }

  /** Corrects the row of one file. @param recovered the unfinished change that this recovers */
  async file(path: StoragePath, recovered?: Intent): Promise<void> {
    await this.#options.lock.run([path], () => this.#look(path, recovered));
  }

  /** Corrects the rows of a folder and those below it. @param recovered the change that left them as they are */
  async folder(folder: StoragePath, recovered?: Intent): Promise<void> {
    const { rows, lock, scanFolder } = this.#options;
    const exists = await lock.run([folder], async () => {
      const isFolder = await this.#isFolder(folder);
      if (!isFolder && recovered?.kind === 'removeFolder') await this.#reportAll(recovered);
      if (isFolder) await rows.folders.add(folder);
      else if (!(await findLeaving(rows, recovered))(folder)) await rows.folders.remove(folder);
      if (!isFolder) await this.#look(folder, recovered);
      return isFolder;
    });
    if (exists) await scanFolder(folder, recovered);
  }

  async #look(path: StoragePath, recovered?: Intent): Promise<void> {
    const { rows } = this.#options;
    const entry = await this.#entry(path);
    if (entry) await rows.files.put([entry]);
    else if (!(await findLeaving(rows, recovered))(path)) await rows.files.remove([path]);
  }

  async #relocated(intent: Intent, to: StoragePath): Promise<void> {
    const { kind, from } = intent;
    const { lock, store } = this.#options;
    await lock.run([from, to], async () => {
      // Before the rows are compared: a file has one name.
      if (kind === 'move') await store.completeMove?.(from, to);
      await this.#relocateRow(intent, to, kind === 'copy');
    });
  }

  async #relocateRow(intent: Intent, to: StoragePath, isCopy: boolean): Promise<void> {
    const { from } = intent;
    const { rows } = this.#options;
    const source = await this.#entry(from);
    const target = await this.#entry(to);
    const known = await rows.files.find(to);
    if (!target || known?.etag === target.etag || isOther(await rows.files.find(from), target, isCopy)) {
      await this.#look(to, intent);
    } else if (source) await rows.files.copy(from, target);
    else await rows.files.move(from, target);
    await this.#look(from, intent);
  }

  /**
   * Recovers a folder that may have moved in part: files only in the new folder were moved, files in both were copied
   * so far.
   */
  async #movedFolder(intent: Intent, to: StoragePath): Promise<void> {
    const { store, lock, signal } = this.#options;
    const { from } = intent;
    const came = await lock.run([from, to], () => this.#cameWhole(intent, to));
    if (came !== 'no' && came !== 'with its rows')
      await inParallel(store.walk(to), CONCURRENCY, async ({ path }) => {
        signal.throwIfAborted();
        await this.#cameAlone((from + path.slice(to.length)) as StoragePath, path, came === 'in part');
      });
    await this.folder(to, intent);
    await this.folder(from, intent);
  }

  /**
   * Determines how far a folder has moved, and reports it if it is complete. Its rows move with it, unless others were
   * added there since.
   */
  async #cameWhole(intent: Intent, to: StoragePath): Promise<'no' | 'in part' | 'with its rows' | 'without its rows'> {
    const { folders } = this.#options.rows;
    if (!(await this.#isFolder(to))) return 'no';
    if (await this.#isFolder(intent.from)) return 'in part';
    await this.#reportAll(intent);
    if (await folders.find(to)) return 'without its rows';
    await folders.move(intent.from, to);
    return 'with its rows';
  }

  /**
   * Recovers a file of a folder that moved in part, or into a location with other files.
   * @param isTold true if each file gets its own event, because that of the folder would cover too much
   */
  async #cameAlone(from: StoragePath, to: StoragePath, isTold: boolean): Promise<void> {
    const { rows, store, lock } = this.#options;
    await lock.run([from, to], async () => {
      const source = await this.#row(from);
      const known = await this.#row(to);
      if (known && !source) return;
      const entry = await this.#entry(to);
      // A row written since may belong to an external file.
      if (!entry || (known && isOther(source, entry, false))) return;
      const isLeft = (await store.stat(from)) !== undefined;
      const kind = isLeft ? 'copy' : 'move';
      // The metadata moved in an earlier attempt, or was set since.
      const hasOwnWords = known?.hasWords === true;
      if (hasOwnWords && isLeft) return;
      // A file that was never in the old folder is external.
      const isOurs = isLeft || source !== undefined;
      const events = isTold && isOurs ? eventsOf({ kind, from, to }, entry) : [];
      await rows.inOneStep(async (step) => {
        if (!isLeft) await step.redirects.follow(from, to);
        if (hasOwnWords) await step.files.remove([from]);
        else await step.files[kind](from, entry);
        await step.events.add(events);
      });
    });
  }

  async #row(path: StoragePath): Promise<KnownFile | undefined> {
    const [row] = await this.#options.rows.files.named(parentOf(path), [baseName(path)]);
    return row;
  }

  /** Returns the entry of a path; symlinked folders are not catalogued. */
  async #entry(path: StoragePath): Promise<FileEntry | undefined> {
    const { store } = this.#options;
    if ((await store.folderFingerprint(parentOf(path))) === null) return undefined;
    const stat = await store.stat(path);
    return stat && { path, ...stat };
  }

  async #isFolder(folder: StoragePath): Promise<boolean> {
    const { store } = this.#options;
    const isPlain = (await store.folderFingerprint(parentOf(folder))) !== null;
    return isPlain && (await store.folderExists(folder));
  }
}

/** True if another file than the expected one is at the target. */
function isOther(source: { size: number } | undefined, target: FileEntry, isCopy: boolean): boolean {
  return source === undefined || (source.size !== target.size && !isCopy);
}
