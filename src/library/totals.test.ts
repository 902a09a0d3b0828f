import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import { createMemoryStore } from '../../test/memory-store.ts';
import { createLocalPathLock } from '../cluster/local.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createTotalsLedger } from '../db/totals-ledger.ts';
import { createLog } from '../log.ts';
import { parsePath, ROOT } from '../path.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { createLocalVariants } from '../storage/cache/local-variants.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import { createOriginals } from '../storage/originals.ts';
import { Library } from './library.ts';
import { createCountedTotals, createWalkedTotals, type Totals } from './totals.ts';

let folder: string;
let database: OpenDatabase;
let store: BlobStore;
let variants: VariantStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'totals-'));
  database = await openTestDatabase(join(folder, 'darkroom.db'));
  variants = await createLocalVariants({ directory: join(folder, 'v'), temp: folder, maxBytes: 1e9, memoryBytes: 0 });
  store = createMemoryStore({ temp: join(folder, 'tmp') });
});
afterEach(async () => {
  await variants.close();
  await database.close();
  await rm(folder, { recursive: true });
});

const path = parsePath;
const bytes = async function* (size: number) {
  yield Buffer.alloc(size);
};

/** Starts as the process would: the records are there, the rest is new. */
async function start(): Promise<{ totals: Totals; library: Library }> {
  const lock = createLocalPathLock();
  const onError = (error: unknown) => {
    throw error;
  };
  const totals = await createCountedTotals({
    ...{ store, ledger: createTotalsLedger(database.db), onError },
    whenThere: database.whenThere,
  });
  const originals = createOriginals(store, 0);
  const jobs = { removeWithin: async () => 0 };
  const log = createLog({ level: 'silent', format: 'json' });
  const changes = { invalidated: async () => undefined };
  const versions = { removing: <T>(_path: unknown, remove: () => Promise<T>) => remove() };
  const library = new Library({ originals, variants, jobs, totals, lock, changes, log, versions });
  return { totals, library };
}

/** Machines that share the files and the database; which of them run, as the others see it. */
async function startMachines(names: readonly string[]) {
  const alive = new Set(names);
  const isAlive = async (node: string) => alive.has(node);
  const open = (node: string) =>
    createCountedTotals({
      ...{ store, ledger: createTotalsLedger(database.db, { node, isAlive }), whenThere: database.whenThere },
      ...{ onError: () => undefined, lookMs: 5 },
    });
  const machines = await Promise.all(names.map(open));
  for (const totals of machines) await totals.read();
  return { machines, alive };
}

async function walked() {
  const { size, fileCount } = await createWalkedTotals(store).read();
  return { size, fileCount };
}

async function put(totals: Totals, name: string, size: number): Promise<void> {
  await totals.during(async (tally) => {
    await store.write(path(name), bytes(size), { existing: 'keep' });
    tally({ size, fileCount: 1 });
  });
}

const name = fc.constantFrom('a', 'f/a', 'f/b', 'f/g/a', 'h/a');
const target = fc.oneof(name, fc.constantFrom('f', 'f/g', 'h'));
const command = fc.oneof(
  fc.record({ type: fc.constant('put' as const), name, size: fc.nat(1000) }),
  fc.record({ type: fc.constant('copy' as const), name, to: fc.constantFrom('', 'f', 'h') }),
  fc.record({ type: fc.constant('move' as const), name: target, to: fc.constantFrom('', 'f', 'h') }),
  fc.record({ type: fc.constant('remove' as const), name: target }),
  fc.record({ type: fc.constant('recount' as const) }),
);
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

function perform({ totals, library }: { totals: Totals; library: Library }, one: Command): Promise<unknown> {
  if (one.type === 'put') return put(totals, one.name, one.size);
  if (one.type === 'copy') return library.copy(path(one.name), path(one.to));
  if (one.type === 'move') return library.move(path(one.name), path(one.to));
  return one.type === 'recount' ? totals.recount() : library.remove(path(one.name), { recursive: true });
}

async function clear({ library }: { library: Library }) {
  const { folders, files } = await store.list(ROOT);
  for (const each of [...folders, ...files.map((file) => file.path)]) await library.remove(each, { recursive: true });
}

describe('counted totals', () => {
  test('are those of a full walk after any sequence of changes, and after a restart', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        const service = await start();
        await clear(service);
        for (const one of commands) {
          // Impossible ones fail and change nothing.
          await perform(service, one).catch(() => undefined);
          expect(await service.totals.read()).toMatchObject(await walked());
        }
        const restarted = await start();
        expect(await restarted.totals.read()).toMatchObject(await walked());
      }),
      { numRuns: 40 },
    );
  });

  test('and when everything runs at the same time, recounts among it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 10, maxLength: 40 }), async (commands) => {
        const service = await start();
        await clear(service);
        await Promise.allSettled(commands.map((one) => perform(service, one)));
        expect(await service.totals.read()).toMatchObject(await walked());
      }),
      { numRuns: 40 },
    );
  });

  test('are counted at the first start, and not again at the next', async () => {
    await store.write(path('before'), bytes(7));
    const first = await start();
    expect(await first.totals.read()).toMatchObject({ size: 7, fileCount: 1 });
    await store.write(path('by another program'), bytes(5));
    const second = await start();
    expect(await second.totals.read()).toMatchObject({ size: 7, fileCount: 1 });
    expect(await second.totals.recount()).toMatchObject({ size: 12, fileCount: 2 });
  });

  test('are counted anew after a process died in the middle of a change', async () => {
    const { totals } = await start();
    await put(totals, 'a', 10);
    const dying = new Promise<never>(() => undefined);
    void totals.during(async () => {
      await store.write(path('b'), bytes(20));
      return dying;
    });
    await expect.poll(() => store.stat(path('b'))).toBeDefined();
    const restarted = await start();
    expect(await restarted.totals.read()).toMatchObject({ size: 30, fileCount: 2 });
    expect(await createTotalsLedger(database.db).unfinished()).toEqual([]);
  });

  test('are counted anew when more was removed than was known of: another machine had stored it', async () => {
    const { totals } = await start();
    await put(totals, 'a', 10);
    await store.write(path('b'), bytes(20));
    await totals.during(async (tally) => {
      await store.remove(path('b'));
      tally({ size: -20, fileCount: -1 });
    });
    expect(await totals.read()).toMatchObject({ size: 10, fileCount: 1 });
  });

  test('say when they last changed', async () => {
    const { totals } = await start();
    const before = (await totals.read()).updatedAt;
    expect((await totals.read()).updatedAt).toEqual(before);
    await put(totals, 'a', 10);
    expect((await totals.read()).updatedAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
  });
});

describe('walked totals', () => {
  test('see what other programs do, and share one walk while nothing changes', async () => {
    let walks = 0;
    const walk = store.walk.bind(store);
    store.walk = (below) => {
      walks++;
      return walk(below);
    };
    const totals = createWalkedTotals(store);
    await store.write(path('by another program'), bytes(5));
    const answers = await Promise.all(Array.from({ length: 10 }, () => totals.read()));
    for (const answer of answers) expect(answer).toMatchObject({ size: 5, fileCount: 1 });
    expect(walks).toBe(1);
    const during = totals.during(() => store.write(path('b'), bytes(5)));
    const old = totals.read();
    await during;
    expect(await totals.read()).toMatchObject({ size: 10, fileCount: 2 });
    await old;
  });
});

describe('counted totals of several machines', () => {
  let machines: Totals[];
  let alive: Set<string>;
  beforeEach(async () => {
    ({ machines, alive } = await startMachines(['a', 'b', 'c']));
  });
  afterEach(async () => {
    for (const totals of machines) await totals.close();
  });

  /** A change of the first machine that has stored its file. Resolves when it is to end. */
  async function beginChange() {
    const stored = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const ended = machines[0]?.during(async (tally) => {
      await store.write(path('stored'), bytes(100), { existing: 'keep' });
      stored.resolve();
      await end.promise;
      tally({ size: 100, fileCount: 1 });
    });
    await stored.promise;
    return {
      async end() {
        end.resolve();
        await ended;
      },
    };
  }

  test('are counted again by one that runs when another has ended in the middle of a change', async () => {
    await beginChange();
    alive.delete('a');
    await expect.poll(() => machines[1]?.read()).toMatchObject({ size: 100, fileCount: 1 });
    const { rows } = await sql`select id from storage_change`.execute(database.db);
    expect(rows).toEqual([]);
  });

  test('are right in the end when a machine was taken for one that has ended, and goes on', async () => {
    const change = await beginChange();
    alive.delete('a');
    await expect.poll(() => machines[1]?.read()).toMatchObject({ size: 100, fileCount: 1 });
    alive.add('a');
    await change.end();
    await expect.poll(() => machines[1]?.read()).toMatchObject({ size: 100, fileCount: 1 });
    expect(await walked()).toEqual({ size: 100, fileCount: 1 });
  });

  test('are not counted again for a machine that is out of touch for a moment', async () => {
    const change = await beginChange();
    let looks = 0;
    const isAlive = async (node: string) => node !== 'a' || ++looks % 2 === 0;
    const ledger = createTotalsLedger(database.db, { node: 'd', isAlive });
    for (let look = 0; look < 6; look++) expect(await ledger.takeOver()).toEqual([]);
    await change.end();
    expect(await machines[1]?.read()).toMatchObject({ size: 100, fileCount: 1 });
  });
});
