import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../test/memory-store.ts';
import { TRUSTED } from '../../client.ts';
import { badRequest, tooManyRequests } from '../../errors.ts';
import { createLog } from '../../log.ts';
import { parsePath, ROOT, type StoragePath } from '../../path.ts';
import { BlobExists, type BlobStore, StorageUnavailable } from '../../storage/blob-store.ts';
import { TempBudget } from '../../storage/temp-budget.ts';
import type { HasBytes } from '../existing.ts';
import { numberedNames } from '../free-names.ts';
import {
  type ResumableOptions,
  ResumableUploads,
  type StorageOfSpace,
  type UploadStorage,
} from './resumable-uploads.ts';

const BYTES = Buffer.from('the bytes of a file');
const LIMITS = {
  maxFileBytes: 100,
  maxOpen: 2,
  maxOpenPerClient: 2,
  expiresMs: 60_000,
  emptyMs: 60_000,
  idleMs: 60_000,
  minBytesPerSecond: 1,
};
const NEW = {
  length: BYTES.length,
  metadata: '',
  admittedBy: 'credentials' as const,
  client: 'c',
  request: { name: 'a.png', declaredType: '', folder: '', names: [], transformations: [] },
};

let root: string;
let store: BlobStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'darkroom-resumable-'));
  store = createMemoryStore({ temp: join(root, 'tmp') });
});
afterEach(() => rm(root, { recursive: true, force: true }));

type Storing = ResumableOptions['storeFile'];

/** Stores a file as an upload does, under the first free name. */
const storing: Storing = async ({ files: [file] }, library) => {
  const { path, size } = await library.add(parsePath('a.png'), file?.file ?? '');
  const none = { prewarmedUrls: [], prewarmErrors: [], queuedTransformationUrls: [], queueErrors: [] };
  return { success: true, files: [{ filename: path, path, size, url: `/t/${path}`, ...none }], errors: [] };
};

const hasBytes: HasBytes = async (path, _stored, file) =>
  (await buffer(await store.open(path))).equals(await readFile(file));

const add: ResumableOptions['library']['add'] = async (path, file, _existing, note) => {
  for (const free of numberedNames(path, 'file')) {
    try {
      await note?.(free);
      return { path: free, size: (await store.adopt(free, file, { existing: 'keep' })).size, isSkipped: false };
    } catch (error) {
      if (!(error instanceof BlobExists)) throw error;
    }
  }
  throw new Error('No name is free.');
};

/** The uploads of a process; the next one finds what it has left. */
const open = (storeFile = storing, storageOf?: StorageOfSpace) =>
  ResumableUploads.open({
    folder: join(root, 'uploads'),
    limits: LIMITS,
    budget: new TempBudget({ max: 1000, maxPerClient: 1000 }),
    store,
    hasBytes,
    library: { add },
    check: () => undefined,
    storeFile,
    storageOf,
    log: createLog({ level: 'silent', format: 'json' }),
  });

const send = (uploads: ResumableUploads, id: string, from = 0) =>
  uploads.append(id, from, ({ write }) => write(BYTES.subarray(from)));

const stored = () => filesIn(ROOT);
const storedInSpace = () => filesIn(parsePath('acme'));

async function filesIn(folder: StoragePath): Promise<Record<string, string>> {
  const { files } = await store.list(folder);
  const contents = files.map(async ({ path }) => [path, (await buffer(await store.open(path))).toString()] as const);
  return Object.fromEntries(await Promise.all(contents));
}

const onDisk = (...path: string[]) => readdir(join(root, 'uploads', ...path));

/** Stores the file, and ends before anybody knows. */
const killedAfter: Storing = async (request, library) => {
  await storing(request, library);
  throw new Error('killed');
};

test('a file that was stored before the process was killed is found, and not stored again', async () => {
  const first = await open(killedAfter);
  const id = await first.create(NEW);
  await expect(send(first, id)).rejects.toThrow('killed');
  const next = await open();
  expect(await next.progress(id)).toMatchObject({ offset: BYTES.length, result: { files: [{ path: 'a.png' }] } });
  expect(await next.progress(id)).toMatchObject({ result: { files: [{ path: 'a.png' }] } });
  expect(await stored()).toEqual({ 'a.png': BYTES.toString() });
  expect((await onDisk(id)).toSorted()).toEqual(['conclusion.json', 'record.json']);
});

test('a file that is refused for too much work of its client is 423, and stored later', async () => {
  let isBusy = true;
  const uploads = await open(async (request, library) => {
    if (isBusy) throw tooManyRequests('Renders have taken too long.', 'too_much_work', 7);
    return storing(request, library);
  });
  const id = await uploads.create(NEW);
  await expect(send(uploads, id)).rejects.toMatchObject({
    status: 423,
    code: 'upload_busy',
    headers: { 'Retry-After': '7' },
    message: expect.stringContaining('Renders have taken too long.'),
  });
  isBusy = false;
  expect(await uploads.progress(id)).toMatchObject({ result: { files: [{ path: 'a.png' }] } });
});

test('the work is charged to the client that began an upload by a signature, over a restart too', async () => {
  const charged: unknown[] = [];
  const noting: Storing = async (request) => {
    charged.push(request.client);
    throw new Error('killed');
  };
  const uploads = await open(noting);
  for (const admittedBy of ['signature', 'credentials'] as const) {
    await expect(send(uploads, await uploads.create({ ...NEW, admittedBy }))).rejects.toThrow('killed');
  }
  expect(charged).toEqual(['c', TRUSTED]);
  const next = await open(noting);
  next.start();
  await expect.poll(() => charged.length).toBe(4);
  await next.close(AbortSignal.timeout(1000));
  expect(new Set(charged.slice(2))).toEqual(new Set(['c', TRUSTED]));
});

test('a file is stored beside another one that has taken its name since', async () => {
  const other = 'x'.repeat(BYTES.length);
  const first = await open(async (request, library) => {
    await storing(request, library);
    await store.write(parsePath('a.png'), Readable.from([Buffer.from(other)]));
    throw new Error('killed');
  });
  const id = await first.create(NEW);
  await expect(send(first, id)).rejects.toThrow('killed');
  await (await open()).progress(id);
  expect(await stored()).toEqual({ 'a.png': other, 'a (1).png': BYTES.toString() });
});

test('while the storage is away the bytes stay, also when it has stored them without a word', async () => {
  let isAway = true;
  const uploads = await open(async (request, library) => {
    const result = await storing(request, library);
    if (isAway) throw new StorageUnavailable('away');
    return result;
  });
  const id = await uploads.create(NEW);
  await expect(send(uploads, id)).rejects.toThrow(StorageUnavailable);
  await expect(uploads.progress(id)).rejects.toThrow(StorageUnavailable);
  isAway = false;
  expect(await uploads.progress(id)).toMatchObject({ result: { success: true } });
  expect(await stored()).toEqual({ 'a.png': BYTES.toString() });
});

test('a start stores what has all its bytes', async () => {
  const first = await open(() => Promise.reject(new Error('killed')));
  const id = await first.create(NEW);
  await expect(send(first, id)).rejects.toThrow('killed');
  const next = await open();
  next.start();
  await expect.poll(stored).toEqual({ 'a.png': BYTES.toString() });
  await next.close(AbortSignal.timeout(1000));
});

test('an open finds what was written, and removes what was begun or ended in part', async () => {
  const first = await open();
  const done = await first.create(NEW);
  const begun = await first.create(NEW);
  await send(first, done);
  await expect(first.append(begun, 0, ({ write }) => write(BYTES.subarray(0, 5)))).resolves.toMatchObject({
    offset: 5,
  });
  await mkdir(join(root, 'uploads', 'x'.repeat(32)));
  await writeFile(join(root, 'uploads', done, 'bytes'), BYTES);
  const next = await open();
  expect((await onDisk()).toSorted()).toEqual([done, begun].toSorted());
  expect(await onDisk(done)).not.toContain('bytes');
  expect(await next.progress(begun)).toEqual({ offset: 5, result: undefined });
  expect(await send(next, begun, 5)).toMatchObject({ result: { files: [{ path: 'a (1).png' }] } });
});

test('no more results are kept than uploads may be open', async () => {
  const uploads = await open();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    const id = await uploads.create(NEW);
    await send(uploads, id);
    ids.push(id);
  }
  expect((await onDisk()).toSorted()).toEqual(ids.slice(1).toSorted());
});

test.each([0, 1])('the oldest result goes first after a restart, whichever folder that is: %i', async (oldest) => {
  const first = await open();
  const ids = [await first.create(NEW), await first.create(NEW)];
  for (const [n, id] of ids.entries()) {
    await send(first, id);
    const file = join(root, 'uploads', id, 'conclusion.json');
    const conclusion = JSON.parse(await readFile(file, 'utf8'));
    const concludedAt = conclusion.concludedAt - (n === oldest ? 1000 : 0);
    await writeFile(file, JSON.stringify({ ...conclusion, concludedAt }));
  }
  const next = await open();
  const id = await next.create(NEW);
  await send(next, id);
  expect((await onDisk()).toSorted()).toEqual([ids[1 - oldest], id].toSorted());
});

test('bytes that could not be written leave those before them', async () => {
  const uploads = await open();
  const id = await uploads.create(NEW);
  const broken = uploads.append(id, 0, async ({ write }) => {
    await write(BYTES.subarray(0, 7));
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  expect(await uploads.progress(id)).toEqual({ offset: 7, result: undefined });
});

describe('an upload of a space', () => {
  const refusal = (field: string): UploadStorage['check'] => {
    throw badRequest(`Expected another ${field}.`);
  };
  let opened: string[];
  /** Stores in the folder of a space, as its services do. */
  const storageOf: StorageOfSpace = (space) => {
    opened.push(space);
    const outer = (path: string) => parsePath(`${space}/${path}`);
    const addInside: UploadStorage['library']['add'] = async (path, file, existing, note) => {
      const added = await add(outer(path), file, existing, async (free) => {
        await note?.(parsePath(free.slice(space.length + 1)));
      });
      return { ...added, path: parsePath(added.path.slice(space.length + 1)) };
    };
    return {
      library: { add: addInside },
      store: { stat: (path) => store.stat(outer(path)) },
      hasBytes: (path, stat, file) => hasBytes(outer(path), stat, file),
      check: ({ folder }) => (folder === 'refused' ? refusal('folder') : undefined),
      maxFileBytes: 50,
      storeFile: storing,
    };
  };
  beforeEach(() => {
    opened = [];
  });

  test('is stored in its folder, and unknown elsewhere', async () => {
    const uploads = await open(storing, storageOf);
    const acme = uploads.inSpace('acme', false);
    const id = await acme.create(NEW);
    const unknown = { status: 404, code: 'upload_not_found' };
    for (const other of [uploads, uploads.inSpace('beta', false)]) {
      expect(() => other.find(id)).toThrow(expect.objectContaining(unknown));
      expect(() => other.expiresAt(id)).toThrow(expect.objectContaining(unknown));
      const requests = [
        () => other.progress(id),
        () => other.result(id),
        () => other.append(id, 0, async () => undefined),
        () => other.remove(id),
      ];
      for (const request of requests) await expect(request()).rejects.toMatchObject(unknown);
    }
    const sent = await acme.append(id, 0, ({ write }) => write(BYTES));
    expect(sent).toMatchObject({ result: { files: [{ path: 'a.png' }] } });
    expect(await storedInSpace()).toEqual({ 'acme/a.png': BYTES.toString() });
    expect(await stored()).toEqual({});
    await acme.remove(id);
    expect(() => acme.find(id)).toThrow(expect.objectContaining(unknown));
  });

  test('of the library is unknown in a space', async () => {
    const uploads = await open(storing, storageOf);
    const id = await uploads.create(NEW);
    await expect(uploads.inSpace('acme', false).progress(id)).rejects.toMatchObject({ status: 404 });
    expect(await uploads.progress(id)).toMatchObject({ offset: 0 });
    expect(opened).toEqual([]);
  });

  test('does not disturb one that another space asks for', async () => {
    const uploads = await open(storing, storageOf);
    const id = await uploads.inSpace('acme', false).create(NEW);
    const began = Promise.withResolvers<AbortSignal>();
    const go = Promise.withResolvers<void>();
    const sending = uploads.inSpace('acme', false).append(id, 0, async ({ write, superseded }) => {
      began.resolve(superseded);
      await go.promise;
      await write(BYTES);
    });
    const superseded = await began.promise;
    await expect(uploads.progress(id)).rejects.toMatchObject({ status: 404 });
    expect(superseded.aborted).toBe(false);
    go.resolve();
    expect(await sending).toMatchObject({ offset: BYTES.length });
  });

  test('is stored in its folder by the next process, once', async () => {
    const killed: StorageOfSpace = (space, isByHost) => ({ ...storageOf(space, isByHost), storeFile: killedAfter });
    const first = await open(storing, killed);
    const id = await first.inSpace('acme', false).create(NEW);
    await expect(first.inSpace('acme', false).append(id, 0, ({ write }) => write(BYTES))).rejects.toThrow('killed');
    const next = await open(storing, storageOf);
    next.start();
    await expect
      .poll(async () => (await next.inSpace('acme', false).result(id)).result?.files)
      .toMatchObject([{ path: 'a.png' }]);
    await next.close(AbortSignal.timeout(1000));
    expect(await storedInSpace()).toEqual({ 'acme/a.png': BYTES.toString() });
    expect(await stored()).toEqual({});
    expect(() => next.find(id)).toThrow(expect.objectContaining({ status: 404 }));
  });

  test('is checked by its space, and counts in the limits of all', async () => {
    const uploads = await open(storing, storageOf);
    const acme = uploads.inSpace('acme', false);
    const refused = { ...NEW, request: { ...NEW.request, folder: 'refused' } };
    await expect(acme.create(refused)).rejects.toMatchObject({ status: 400 });
    await expect(acme.create({ ...NEW, length: 51 })).rejects.toMatchObject({ status: 413, code: 'payload_too_large' });
    await acme.create(NEW);
    await uploads.inSpace('beta', false).create(NEW);
    await expect(uploads.create(NEW)).rejects.toMatchObject({ status: 429, code: 'too_many_uploads' });
  });
});
