import { isShortage } from '../../errors.ts';
import { parentOf, type StoragePath } from '../../path.ts';
import { type BlobStat, type BlobStore, type BlobWrites, hasDoneNothing } from '../../storage/blob-store.ts';
import { type CatalogRows, type CatalogStore, IntentClaimed } from '../catalog-store.ts';
import type { IntentKind } from '../records.ts';
import { eventsOf } from './change-event.ts';
import type { FolderFingerprints, FolderLease } from './folder-fingerprints.ts';
import { addStoredParents } from './stored-folders.ts';

export interface OwnChangesOptions {
  store: BlobStore;
  rows: CatalogStore;
  fingerprints: FolderFingerprints;
  /** Name of this process. */
  node: string;
  /** Called with the paths of each change, before it begins and after it has ended. */
  onTouch(paths: readonly StoragePath[], isFolder: boolean): void;
  /** Called with an intent that remains because the progress of its change is unknown. */
  onUnknown(intent: string): void;
  /** Called after a removal of which the database has no record. */
  onUnwritten(path: StoragePath, isFolder: boolean): void;
  /** Called with the paths of a change that another node has recovered, perhaps before the store had made it. */
  onClaimed(paths: readonly StoragePath[], isFolder: boolean): void;
}

interface Change<T> {
  kind: IntentKind;
  from: StoragePath;
  to?: StoragePath;
  /** @param begin records the intent; called before anything of the store changes */
  run(begin: () => Promise<void>): Promise<T>;
  /** Updates the rows; `isPlain` if the changed path is not behind a link. */
  note(rows: CatalogRows, result: T, isPlain: boolean): Promise<unknown>;
}

/** State of a change whose intent is recorded. */
interface Begun {
  lease: FolderLease;
  /** Undefined if the disk has no space for it. */
  intent: string | undefined;
}

const FOLDER_KINDS: readonly IntentKind[] = ['moveFolder', 'removeFolder'];
/** Changes that must also work on a full disk, where no intent can be recorded before. */
const FREES_SPACE: readonly IntentKind[] = ['remove', 'removeFolder'];

/**
 * Wraps the writes of a store so that they update the catalog: records an intent, changes the store, then updates the
 * rows and finishes the intent in one step. Wherever the process ends, the intent says where to look.
 */
export function catalogueChanges(options: OwnChangesOptions): BlobWrites {
  const { store } = options;
  const run = <T>(change: Omit<Change<T>, 'run'> & { run(): Promise<T> }) =>
    runChange(options, {
      ...change,
      async run(begin) {
        await begin();
        return change.run();
      },
    });
  // Its intent is recorded while the disk writes the bytes.
  const put = (path: StoragePath, work: Change<BlobStat>['run']) =>
    runChange(options, {
      kind: 'write',
      from: path,
      run: work,
      note: async (rows, stat, isPlain) => isPlain && rows.files.put([{ path, ...stat }], { mayIndexLater: true }),
    });
  return {
    write: (path, source, options) => put(path, (begin) => store.write(path, source, { ...options, begin })),
    adopt: (path, file, options) => put(path, (begin) => store.adopt(path, file, { ...options, begin })),
    copy: (from, to, options) =>
      run({
        kind: 'copy',
        from,
        to,
        run: () => store.copy(from, to, options),
        note: async (rows, stat, isPlain) => isPlain && rows.files.copy(from, { path: to, ...stat }),
      }),
    move: (from, to, options) =>
      run({
        kind: 'move',
        from,
        to,
        run: () => store.move(from, to, options),
        async note(rows, stat, isPlain) {
          if (isPlain) return rows.files.move(from, { path: to, ...stat });
          await rows.redirects.follow(from, to);
          await rows.files.remove([from]);
        },
      }),
    remove: (path) =>
      run({
        kind: 'remove',
        from: path,
        run: () => store.remove(path),
        async note(rows) {
          await rows.files.remove([path]);
          await rows.redirects.removeTo(path);
        },
      }),
    createFolder: (folder) =>
      run({
        kind: 'createFolder',
        from: folder,
        run: () => store.createFolder(folder),
        note: async (rows, _isNew, isPlain) => isPlain && rows.folders.add(folder),
      }),
    moveFolder: (from, to) =>
      run({
        kind: 'moveFolder',
        from,
        to,
        run: () => store.moveFolder(from, to),
        async note(rows, _moved, isPlain) {
          if (isPlain) return rows.folders.move(from, to);
          await rows.redirects.follow(from, to);
          await rows.folders.remove(from);
        },
      }),
    removeFolder: (folder) =>
      run({
        kind: 'removeFolder',
        from: folder,
        run: () => store.removeFolder(folder),
        // Uses many steps, because it may hold a million rows; the intent lasts until all are removed.
        note: (rows) => rows.redirects.removeTo(folder),
      }),
  };
}

async function runChange<T>(options: OwnChangesOptions, change: Change<T>): Promise<T> {
  const paths = pathsOf(change);
  const touch = () => options.onTouch(paths, FOLDER_KINDS.includes(change.kind));
  touch();
  let beginning: Promise<Begun> | undefined;
  const running = change.run(async () => {
    beginning = beginChange(options, change);
    await beginning;
  });
  // The store may fail while its change is still beginning.
  await Promise.allSettled([running]);
  const begun = await beginning?.catch(() => undefined);
  try {
    if (begun) return await changeBoth(options, change, running, begun);
    // Nothing has been changed, unless a store forgets to begin.
    await running;
    throw new Error('The store has changed without recording an intent.');
  } finally {
    begun?.lease.end();
    touch();
  }
}

/** Records the intent of a change. If this fails, nothing is changed. */
async function beginChange<T>({ rows, fingerprints, node }: OwnChangesOptions, change: Change<T>): Promise<Begun> {
  const { kind, from, to } = change;
  const lease = await fingerprints.begin(pathsOf(change).map(parentOf));
  try {
    const intent = await rows.intents.begin({ node, kind, from, to: to ?? null });
    return { lease, intent };
  } catch (error) {
    if (FREES_SPACE.includes(kind) && isShortage(error)) return { lease, intent: undefined };
    lease.end();
    throw error;
  }
}

async function changeBoth<T>(
  options: OwnChangesOptions,
  change: Change<T>,
  running: Promise<T>,
  { lease, intent }: Begun,
): Promise<T> {
  const { rows, store, node, onUnknown, onUnwritten, onClaimed } = options;
  const settle = async (note: (step: CatalogRows, isPlain: boolean) => Promise<unknown>, parent?: StoragePath) => {
    const fingerprints = new Map(await lease.fingerprints());
    // A folder with a fingerprint is not behind a link.
    const isPlain =
      parent !== undefined && (fingerprints.get(parent) ?? (await store.folderFingerprint(parent))) !== null;
    await rows.inOneStep(async (step) => {
      await note(step, isPlain);
      for (const [folder, fingerprint] of fingerprints) await step.folders.setFingerprint(folder, fingerprint);
      if (intent !== undefined) await step.intents.finish({ id: intent, node });
    });
  };
  const abandon = () => {
    lease.spoil();
    if (intent !== undefined) onUnknown(intent);
    else onUnwritten(change.from, FOLDER_KINDS.includes(change.kind));
  };
  const settleRefused = async () => {
    // Parents that it has created stay.
    await addStoredParents(change.to ?? change.from, store, rows);
    await settle(async () => undefined);
  };
  let result: T;
  try {
    result = await running;
  } catch (error) {
    if (hasDoneNothing(error)) await settleRefused().catch(abandon);
    else abandon();
    throw error;
  }
  try {
    if (change.kind === 'removeFolder') {
      if (intent !== undefined) await rows.intents.confirm({ id: intent, node });
      await rows.folders.remove(change.from);
    }
    await settle((step, isPlain) => noteAll(change, result, step, isPlain), parentOf(change.to ?? change.from));
    return result;
  } catch (error) {
    abandon();
    // The other node may have looked before the bytes changed.
    if (error instanceof IntentClaimed) onClaimed(pathsOf(change), FOLDER_KINDS.includes(change.kind));
    if (intent === undefined) return result;
    throw error;
  }
}

function pathsOf<T>({ from, to }: Change<T>): StoragePath[] {
  return to === undefined ? [from] : [from, to];
}

/** Updates the rows, and stores the events of the change. */
async function noteAll<T>(change: Change<T>, result: T, rows: CatalogRows, isPlain: boolean): Promise<void> {
  await change.note(rows, result, isPlain);
  await rows.events.add(eventsOf(change, result));
}
