import { beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../test/job-queue.ts';
import { parsePath, ROOT, type StoragePath } from '../path.ts';
import { BlobExists, type BlobWrites, StorageUnavailable } from '../storage/blob-store.ts';
import type { RetentionStore } from '../storage/retention-store.ts';
import type { PrivateFolders } from './private-folders.ts';
import { createPrivateMoves, type Leftovers } from './private-moves.ts';
import { createSpaceRegistry } from './registry.ts';
import { LIBRARY, type Space } from './space.ts';

const SECRET = parsePath('secret');
const HIDDEN = parsePath('hidden');

/** The private folders of the library, as the database has them. */
let folders: readonly StoragePath[];
/** Folders of the store. */
let stored: StoragePath[];
let trashed: StoragePath[];
let isDatabaseDown: boolean;
beforeEach(() => {
  folders = [SECRET];
  stored = [SECRET];
  trashed = [];
  isDatabaseDown = false;
});

const library = (): Space => ({ ...createSpaceRegistry().library(), rules: { privateFolders: folders } });

const rules = {
  async readAll() {
    if (isDatabaseDown) throw new Error('down');
    return [library()];
  },
  async changePrivateFolders(adjust: (spaces: readonly Space[]) => PrivateFolders) {
    if (isDatabaseDown) throw new Error('down');
    folders = adjust([library()]).get(LIBRARY) ?? folders;
  },
};

const leftovers: Leftovers = {
  store: {
    stat: async () => undefined,
    folderExists: async (folder) => stored.includes(folder),
    list: async (folder) => ({ folders: folder === ROOT ? stored : [], files: [] }),
  },
  trash: {
    find: async (id) => ({ id, path: SECRET, kind: 'folder' }) as never,
    latestOf: async (path) => (trashed.includes(path) ? ({ path } as never) : undefined),
    page: async () => [],
  },
};

function movesWith(moveFolder: BlobWrites['moveFolder']) {
  const moves = createPrivateMoves({ registry: createSpaceRegistry(), spreadMs: 0, log: silentLog });
  moves.connect(rules);
  return moves.keepPrivate({ moveFolder } as BlobWrites, leftovers);
}

/** Moves the folder, as a store does. */
async function moveStored(): Promise<void> {
  stored = [HIDDEN];
}

test('closes the new path before the bytes come, and opens the old one after they have left', async () => {
  const writes = movesWith(async () => {
    expect(folders).toEqual([SECRET, HIDDEN]);
    await moveStored();
  });
  await writes.moveFolder(SECRET, HIDDEN);
  expect(folders).toEqual([HIDDEN]);
});

test('moves nothing while the rules cannot be changed', async () => {
  isDatabaseDown = true;
  const writes = movesWith(async () => expect.unreachable());
  await expect(writes.moveFolder(SECRET, HIDDEN)).rejects.toThrow('down');
});

test('leaves both paths closed if the rules cannot be changed after the move', async () => {
  const writes = movesWith(async () => {
    isDatabaseDown = true;
    await moveStored();
  });
  await writes.moveFolder(SECRET, HIDDEN);
  expect(folders).toEqual([SECRET, HIDDEN]);
});

test('leaves both paths closed after a failure that may have moved a part', async () => {
  const writes = movesWith(async () => Promise.reject(new StorageUnavailable('silent')));
  await expect(writes.moveFolder(SECRET, HIDDEN)).rejects.toThrow(StorageUnavailable);
  expect(folders).toEqual([SECRET, HIDDEN]);
});

test('leaves the rules as they were when the store refuses the move', async () => {
  const writes = movesWith(async () => Promise.reject(new BlobExists('taken')));
  await expect(writes.moveFolder(SECRET, HIDDEN)).rejects.toThrow(BlobExists);
  expect(folders).toEqual([SECRET]);
});

test('closes nothing that exists already', async () => {
  stored = [SECRET, HIDDEN];
  const writes = movesWith(async () => expect.unreachable());
  await expect(writes.moveFolder(SECRET, HIDDEN)).rejects.toThrow(BlobExists);
  expect(folders).toEqual([SECRET]);
});

test('is refused when a rule that has to stay would be one too many', async () => {
  folders = [SECRET, ...Array.from({ length: 99 }, (_, n) => parsePath(`other/${n}`))];
  await movesWith(moveStored).moveFolder(SECRET, HIDDEN);
  expect([folders.length, folders.at(-1)]).toEqual([100, HIDDEN]);
  stored = [HIDDEN];
  trashed = [HIDDEN];
  const writes = movesWith(async () => expect.unreachable());
  await expect(writes.moveFolder(HIDDEN, SECRET)).rejects.toMatchObject({ status: 409, code: 'space_conflict' });
  expect(folders).toHaveLength(100);
});

test('takes a rule along that came while the bytes moved', async () => {
  folders = [];
  const writes = movesWith(async () => {
    folders = [parsePath('secret/deep')];
    await moveStored();
  });
  await writes.moveFolder(SECRET, HIDDEN);
  expect(folders).toEqual(['hidden/deep']);
});

test('keeps the old path closed while the trash has the folder, or one that contained it', async () => {
  trashed = [SECRET];
  await movesWith(moveStored).moveFolder(SECRET, HIDDEN);
  expect(folders).toEqual([SECRET, HIDDEN]);
});

test('keeps the old path closed while another folder differs from it by case only', async () => {
  await movesWith(async () => {
    stored = [HIDDEN, parsePath('SECRET')];
  }).moveFolder(SECRET, HIDDEN);
  expect(folders).toEqual([SECRET, HIDDEN]);
});

test('follows a folder whose name changes by case only', async () => {
  await movesWith(async () => {
    stored = [parsePath('Secret')];
  }).moveFolder(SECRET, parsePath('Secret'));
  expect(folders).toEqual(['Secret']);
});

test('compares in any case and composition', async () => {
  folders = [parsePath('CAFÉ/Secret')];
  stored = [];
  await movesWith(async () => undefined).moveFolder(parsePath('café'), HIDDEN);
  expect(folders).toEqual(['hidden/Secret']);
});

test('closes the path at which a folder comes back from the trash, before its bytes come', async () => {
  const moves = createPrivateMoves({ registry: createSpaceRegistry(), spreadMs: 0, log: silentLog });
  moves.connect(rules);
  stored = [SECRET];
  const giveBack = async () => expect(folders).toEqual([SECRET, HIDDEN]);
  const retention = moves.keepRestoredPrivate(retentionWith({ giveBack }), leftovers);
  await retention.giveBack('id', HIDDEN);
  expect(folders).toEqual([SECRET, HIDDEN]);
});

/** A retention store of which a test needs few methods. */
function retentionWith(methods: Partial<RetentionStore>): RetentionStore {
  const others = ['keepCopy', 'open', 'stat', 'isRestored', 'files', 'folders', 'remove', 'walk'];
  const unused = Object.fromEntries(others.map((name) => [name, () => expect.unreachable()]));
  return { ...unused, ...methods } as unknown as RetentionStore;
}
