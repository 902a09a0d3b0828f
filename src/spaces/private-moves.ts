import { setTimeout as delay } from 'node:timers/promises';
import type { TrashRows } from '../catalog/retained-rows.ts';
import type { Log } from '../log.ts';
import { baseName, parentOf, ROOT, type StoragePath } from '../path.ts';
import { type BlobReads, type BlobWrites, hasDoneNothing, isTaken, taken } from '../storage/blob-store.ts';
import { itemsOf, type RetentionStore } from '../storage/retention-store.ts';
import type { SpaceManager } from './manager.ts';
import {
  addedFolders,
  assertFew,
  carriedPaths,
  type Move,
  type PrivateFolders,
  withMove,
  withoutFolders,
} from './private-folders.ts';
import { innerFolded, privateIndexOf } from './private-index.ts';
import type { SpaceRegistry } from './registry.ts';
import { foldPath } from './space.ts';

export interface PrivateMovesOptions {
  registry: Pick<SpaceRegistry, 'library' | 'containing'>;
  /** Time in which the other nodes apply a changed rule, in ms. */
  spreadMs: number;
  /** Called after folders became private. @param owner id of the space, or the library, in whose list they are */
  onClosed?: (owner: string, folders: readonly StoragePath[]) => void;
  log: Log;
}

/** What shows whether anything of a folder is left. */
export interface Leftovers {
  store: Pick<BlobReads, 'stat' | 'folderExists' | 'list'>;
  trash: Pick<TrashRows, 'find' | 'latestOf' | 'page'>;
}

export type PrivateMoves = ReturnType<typeof createPrivateMoves>;

type Rules = Pick<SpaceManager, 'readAll' | 'changePrivateFolders'>;

/**
 * Lets the rules of private folders go along with each move, whoever makes it. The new path is closed before the bytes
 * come, and the old one is opened after they have left: a process that ends between leaves both closed.
 */
export function createPrivateMoves({ registry, spreadMs, onClosed, log }: PrivateMovesOptions) {
  let rules: Rules = {
    readAll: () => Promise.reject(new Error('The spaces are not connected yet.')),
    changePrivateFolders: () => Promise.reject(new Error('The spaces are not connected yet.')),
  };

  /** Closes the new path. @returns the rules that were added for it */
  async function close(move: Move, leftovers: Leftovers): Promise<PrivateFolders> {
    const { store } = leftovers;
    const spaces = await rules.readAll();
    if (withMove(spaces, move, () => true).size === 0) return NOTHING;
    const stays = await isTrashedAround(move.from, leftovers);
    assertFew(spaces, move, stays);
    // What is there already must not be closed.
    if (await isTaken(store, move.to)) throw taken(move.to);
    let added = NOTHING;
    await rules.changePrivateFolders((present) => {
      // Others may have come meanwhile.
      assertFew(present, move, stays);
      const changed = withMove(present, move, () => true);
      added = addedFolders(present, changed);
      return changed;
    });
    if (spreadMs > 0) await delay(spreadMs);
    return added;
  }

  /** Opens the old path, unless something is left there that was private. Rules that came meanwhile go along, too. */
  async function open(move: Move, leftovers: Leftovers): Promise<void> {
    const carried = carriedPaths(await rules.readAll(), move);
    if (carried.length === 0) return;
    const isRenamedInPlace = foldPath(move.from) === foldPath(move.to);
    const isInTrash = await isTrashedAround(move.from, leftovers);
    const free = new Set<StoragePath>();
    for (const path of carried) {
      if (isRenamedInPlace || !(isInTrash || (await existsInAnyCase(path, leftovers)))) free.add(path);
    }
    await rules.changePrivateFolders((present) => withMove(present, move, (path) => !free.has(path)));
  }

  async function reopen(added: PrivateFolders): Promise<void> {
    await rules.changePrivateFolders((present) => withoutFolders(present, added));
  }

  /** A failure leaves more paths closed than necessary. */
  async function attempt(work: Promise<void>): Promise<void> {
    await work.catch((err) => log.warn({ err }, 'a private folder that was moved stays private at its old path too'));
  }

  /** Runs a change while the new path is closed. It stays so, unless the change was refused. */
  async function closing<T>(move: Move, leftovers: Leftovers, change: () => Promise<T>): Promise<T> {
    const added = await close(move, leftovers);
    try {
      const result = await change();
      announce(added);
      return result;
    } catch (error) {
      if (added.size > 0 && hasDoneNothing(error)) await attempt(reopen(added));
      else announce(added);
      throw error;
    }
  }

  function announce(added: PrivateFolders): void {
    for (const [owner, folders] of added) if (folders.length > 0) onClosed?.(owner, folders);
  }

  async function carrying<T>(move: Move, leftovers: Leftovers, change: () => Promise<T>): Promise<T> {
    const result = await closing(move, leftovers, change);
    await attempt(open(move, leftovers));
    return result;
  }

  /** Files have rules of their own only where somebody has named one instead of a folder. */
  const isNamed = (path: StoragePath) => {
    const folded = foldPath(path);
    const owners = [registry.library(), registry.containing(folded)];
    return owners.some((owner) => owner && privateIndexOf(owner.rules).isAtOrAbove(innerFolded(owner, folded)));
  };

  return {
    /** @param manager changes the rules */
    connect(manager: Rules): void {
      rules = manager;
    },

    /** Wraps the writes of the library. */
    keepPrivate: (store: BlobWrites, leftovers: Leftovers) =>
      wrapWrites(store, { isNamed, closing, carrying }, leftovers),

    /** Wraps the moves from and to the trash: what is restored under another name stays private. */
    keepRestoredPrivate: (retention: RetentionStore, leftovers: Leftovers) =>
      wrapRestores(retention, closing, leftovers),
  };
}

/** Runs a change that brings a file or folder to another path. */
type Bring = <T>(move: Move, leftovers: Leftovers, change: () => Promise<T>) => Promise<T>;

function wrapWrites(
  store: BlobWrites,
  { isNamed, closing, carrying }: { isNamed(path: StoragePath): boolean; closing: Bring; carrying: Bring },
  leftovers: Leftovers,
): BlobWrites {
  return {
    write: (path, source, options) => store.write(path, source, options),
    adopt: (path, file, options) => store.adopt(path, file, options),
    copy(from, to, options) {
      const change = () => store.copy(from, to, options);
      return isNamed(from) ? closing({ from, to, isFolder: false }, leftovers, change) : change();
    },
    move(from, to, options) {
      const change = () => store.move(from, to, options);
      return isNamed(from) ? carrying({ from, to, isFolder: false }, leftovers, change) : change();
    },
    moveFolder: (from, to) => carrying({ from, to, isFolder: true }, leftovers, () => store.moveFolder(from, to)),
    remove: (path) => store.remove(path),
    createFolder: (folder) => store.createFolder(folder),
    removeFolder: (folder) => store.removeFolder(folder),
  };
}

function wrapRestores(retention: RetentionStore, closing: Bring, leftovers: Leftovers): RetentionStore {
  return {
    ...itemsOf(retention),
    keep: (path, id) => retention.keep(path, id),
    completeKeep: (path, id) => retention.completeKeep(path, id),
    async giveBack(id, to) {
      const item = await leftovers.trash.find(id);
      if (!item || item.path === to) return retention.giveBack(id, to);
      const move = { from: item.path, to, isFolder: item.kind === 'folder' };
      await closing(move, leftovers, () => retention.giveBack(id, to));
    },
  };
}

const NOTHING: PrivateFolders = new Map();

/** True if the trash has an item from a path, from inside it, or a folder that contained it. */
async function isTrashedAround(path: StoragePath, { trash }: Leftovers): Promise<boolean> {
  if ((await trash.page(1, undefined, path)).length > 0) return true;
  for (let folder = path; folder !== ROOT; folder = parentOf(folder)) if (await trash.latestOf(folder)) return true;
  return false;
}

/** True for a path under which something is stored, on disks that distinguish cases in several of them. */
async function existsInAnyCase(path: StoragePath, { store }: Leftovers): Promise<boolean> {
  let found: StoragePath[] = [ROOT];
  for (const name of path.split('/').map(foldPath)) {
    const levels = await Promise.all(found.map((folder) => store.list(folder)));
    const entries = levels.flatMap(({ folders, files }) => [...folders, ...files.map((file) => file.path)]);
    found = entries.filter((entry) => foldPath(baseName(entry)) === name);
    if (found.length === 0) return false;
  }
  return true;
}
