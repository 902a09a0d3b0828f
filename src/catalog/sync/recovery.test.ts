import { expect, test } from 'vitest';
import type { StoragePath } from '../../path.ts';
import type { IntentOfNode } from '../catalog-store.ts';
import type { Intent, IntentKind } from '../records.ts';
import { Corrections } from './corrections.ts';
import { Recovery } from './recovery.ts';

const intent = (id: string, { node = 'gone', kind = 'write' as IntentKind } = {}): Intent => {
  return { id, node, kind, from: `${id}.png` as StoragePath, to: null, createdAt: 0 };
};

/** Makes a node responsible for an intent, as the rows do. */
function claimIn(intents: Intent[], { id, node }: IntentOfNode, by: string): boolean {
  const found = intents.find((one) => one.id === id && one.node === node);
  if (found) found.node = by;
  return found !== undefined;
}

/** Opens a recovery of unfinished intents. The first attempt fails. */
function open(
  left: Intent[],
  { corrections, isAlive = async () => false, checkMs = 60_000 }: OpenOptions,
): { recovery: Recovery; tries: string[] } {
  const tries: string[] = [];
  const recover = async ({ id }: Intent) => {
    tries.push(id);
    if (tries.length === 1) throw new Error('not now');
    left.splice(
      left.findIndex((one) => one.id === id),
      1,
    );
  };
  const list = async (kinds?: readonly IntentKind[]) => left.filter(({ kind }) => kinds?.includes(kind) ?? true);
  const recovery = new Recovery({
    intents: {
      list,
      find: async (id) => left.find((one) => one.id === id),
      claim: async (one, by) => claimIn(left, one, by),
    },
    table: { write: recover, move: recover, trash: recover, version: recover },
    corrections,
    signal: new AbortController().signal,
    node: 'here',
    isAlive,
    checkMs,
  });
  return { recovery, tries };
}

interface OpenOptions {
  corrections: Corrections;
  isAlive?: (node: string) => Promise<boolean>;
  checkMs?: number;
}

test('what was left before the start is tried once, and then what failed again', async () => {
  const corrections = new Corrections();
  const left = [intent('one'), intent('two', { kind: 'trash' })];
  const { recovery, tries } = open(left, { corrections });
  await recovery.start();
  expect(tries.slice(0, 2)).toEqual(['one', 'two']);
  await corrections.idle();
  expect([tries, left]).toEqual([['one', 'two', 'one'], []]);
  recovery.close();
});

test('nobody waits for it for ever when too much waits to be corrected', async () => {
  const { recovery, tries } = open([intent('one'), intent('two')], { corrections: new Corrections(0) });
  await recovery.start();
  expect(tries).toEqual(['one', 'two']);
  recovery.close();
});

test('intents of this process, and of nodes that are alive, are left alone', async () => {
  const left = [intent('own', { node: 'here' }), intent('other', { node: 'alive' }), intent('one'), intent('two')];
  const corrections = new Corrections();
  const { recovery, tries } = open(left, { corrections, isAlive: async (node) => node === 'alive' });
  await recovery.start();
  await corrections.idle();
  expect([tries, left.map(({ id }) => id)]).toEqual([
    ['one', 'two', 'one'],
    ['own', 'other'],
  ]);
  recovery.close();
});

test('a failed change of this process is recovered in the background', async () => {
  const corrections = new Corrections();
  const left = [intent('own', { node: 'here' })];
  const { recovery, tries } = open(left, { corrections });
  recovery.add('own');
  await corrections.idle();
  expect([tries, left]).toEqual([['own', 'own'], []]);
});

test('the kinds that cannot wait are recovered before the others', async () => {
  const left = [intent('one'), intent('two', { kind: 'move' }), intent('three', { kind: 'move' })];
  const { recovery, tries } = open(left, { corrections: new Corrections() });
  await recovery.startWith(['move']);
  expect([tries, left.map(({ id }) => id)]).toEqual([
    ['two', 'three'],
    ['one', 'two'],
  ]);
});

test('an intent is claimed before it is recovered, and one that another node has claimed is left alone', async () => {
  const left = [intent('one'), intent('two')];
  const tries: Intent[] = [];
  const corrections = new Corrections();
  const find = async (id: string) => left.find((one) => one.id === id);
  const recovery = new Recovery({
    intents: { list: async () => structuredClone(left), find, claim: async (one, by) => claimIn(left, one, by) },
    table: {
      async write(one) {
        tries.push(one);
        claimIn(left, { id: 'two', node: 'gone' }, 'another');
      },
    },
    corrections,
    signal: new AbortController().signal,
    node: 'here',
    isAlive: async (node) => node !== 'gone',
  });
  await recovery.start();
  await corrections.idle();
  expect([tries, left]).toMatchObject([
    [{ id: 'one', node: 'here' }],
    [
      { id: 'one', node: 'here' },
      { id: 'two', node: 'another' },
    ],
  ]);
  recovery.close();
});

test('the copy for a version is left for an hour to a node that may still be about to use it', async () => {
  const hour = 60 * 60 * 1000;
  const left = [intent('recent', { kind: 'version' }), intent('old', { kind: 'version' })];
  for (const one of left) one.createdAt = Date.now() - (one.id === 'old' ? 2 * hour : hour / 2);
  const { recovery, tries } = open(left, { corrections: new Corrections() });
  await recovery.start();
  expect([tries, left.map(({ id }) => id)]).toEqual([['old'], ['recent', 'old']]);
  for (const one of left) one.createdAt -= hour;
  await recovery.start();
  expect(tries).toContain('recent');
  recovery.close();
});
