import { expect, test } from 'vitest';
import type { CatalogStore } from '../catalog-store.ts';
import type { Intent } from '../records.ts';
import { Corrections } from './corrections.ts';
import { LeftIntents } from './left-intents.ts';
import type { Repair } from './repair.ts';

const intent = (id: string): Intent =>
  ({ id, node: 'gone', kind: 'write', from: `${id}.png`, to: null, createdAt: 0 }) as unknown as Intent;

/** What two changes have left of a process that is gone, of which the first cannot be made up for once. */
function leave({ corrections }: { corrections: Corrections }) {
  const left = ['one', 'two'].map(intent);
  const tries: string[] = [];
  const repair = {
    async intent({ id }: Intent) {
      tries.push(id);
      if (tries.length === 1) throw new Error('not now');
      left.splice(
        left.findIndex((one) => one.id === id),
        1,
      );
    },
  } as unknown as Repair;
  const rows = { intents: { list: async () => [...left] } } as unknown as CatalogStore;
  const { signal } = new AbortController();
  const options = { rows, repair, corrections, signal, node: 'here', isAlive: async () => false };
  return { intents: new LeftIntents(options), tries, left };
}

test('what was left before the start is tried once, and then what failed again', async () => {
  const corrections = new Corrections();
  const { intents, tries, left } = leave({ corrections });
  await intents.start();
  expect(tries.slice(0, 2)).toEqual(['one', 'two']);
  await corrections.idle();
  expect([tries, left]).toEqual([['one', 'two', 'one'], []]);
  intents.close();
});

test('nobody waits for it for ever when too much waits to be corrected', async () => {
  const { intents, tries } = leave({ corrections: new Corrections(0) });
  await intents.start();
  expect(tries).toEqual(['one', 'two']);
  intents.close();
});
