import { expect, test, vi } from 'vitest';
import type { StoragePath } from '../../path.ts';
import type { Intent, IntentKind } from '../records.ts';
import { Corrections } from './corrections.ts';
import { Recovery } from './recovery.ts';

const intent = (id: string, { node = 'gone', kind = 'write' as IntentKind } = {}): Intent => {
  return { id, node, kind, from: `${id}.png` as StoragePath, to: null, createdAt: 0 };
};

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
    intents: { list, find: async (id) => left.find((one) => one.id === id) },
    table: { write: recover, move: recover, trash: recover },
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

test('an intent that its recovery leaves in place is tried again at the next check', async () => {
  const tries: string[] = [];
  const recovery = new Recovery({
    intents: { list: async () => [intent('one')], find: async (id) => intent(id) },
    table: { write: async ({ id }) => void tries.push(id) },
    corrections: new Corrections(),
    signal: new AbortController().signal,
    node: 'here',
    isAlive: async () => false,
    checkMs: 20,
  });
  await recovery.start();
  await vi.waitUntil(() => tries.length > 2, { timeout: 30_000 });
  recovery.close();
});
