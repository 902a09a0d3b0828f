import { expect, test } from 'vitest';
import { createLocalPathLock } from '../cluster/local.ts';
import { parsePath } from '../path.ts';
import { hiddenFolder, hiddenPath } from './hidden.ts';
import type { Intent } from './records.ts';
import { recoverFirst } from './recovering-lock.ts';

const FILE = parsePath('trip/a.jpg');
const ID = '0188d0f2-0000-4000-8000-000000000000';
const INTENT: Intent = { id: 'one', node: 'here', kind: 'trash', from: FILE, to: hiddenPath(ID, FILE), createdAt: 0 };

/** Opens a lock with these unfinished moves. Each recovery removes one, and is recorded with the changes. */
function open(unfinished: Intent[] = [INTENT]) {
  const done: string[] = [];
  const lock = createLocalPathLock();
  const recovery = {
    unfinishedAt: () => [...unfinished],
    recoverAgain: async (intent: Intent) => {
      unfinished.splice(unfinished.indexOf(intent), 1);
      done.push(`recovery of ${intent.id}`);
    },
  };
  return { lock, recovering: recoverFirst(lock, recovery), recovery, done, unfinished };
}

test('a change waits for the recovery of an unfinished move of its path', async () => {
  const { recovering, done } = open();
  await recovering.run([FILE], async () => done.push('change'));
  expect(done).toEqual(['recovery of one', 'change']);
});

test('a change is refused while the move cannot be recovered', async () => {
  const { recovering, recovery, done, lock } = open();
  recovery.recoverAgain = () => Promise.reject(new Error('The bucket is unreachable.'));
  await expect(recovering.run([FILE], async () => done.push('change'))).rejects.toThrow('unreachable');
  await lock.run([FILE], async () => done.push('released'));
  expect(done).toEqual(['released']);
});

test('the recovery holds the item too, together with the path', async () => {
  const { recovering, lock, done } = open();
  const restored = Promise.withResolvers<void>();
  const restoring = lock.run([hiddenFolder(ID)], async () => {
    await restored.promise;
    done.push('restoration');
  });
  const changing = recovering.run([FILE], async () => done.push('change'));
  const reading = lock.run([parsePath('other')], async () => done.push('another'));
  await reading;
  restored.resolve();
  await Promise.all([restoring, changing]);
  expect(done).toEqual(['another', 'restoration', 'recovery of one', 'change']);
});

test('the recovery holds both paths of the move, not only that of the change', async () => {
  const { recovering, recovery, lock, done } = open();
  const begun = Promise.withResolvers<void>();
  const recovered = Promise.withResolvers<void>();
  const { recoverAgain } = recovery;
  recovery.recoverAgain = async (intent) => {
    begun.resolve();
    await recovered.promise;
    await recoverAgain(intent);
  };
  const changing = recovering.run([hiddenFolder(ID)], async () => done.push('change'));
  await begun.promise;
  const storing = lock.run([FILE], async () => done.push('upload'));
  recovered.resolve();
  await Promise.all([changing, storing]);
  expect(done).toEqual(['recovery of one', 'change', 'upload']);
});

test('a move that fails while a change waits for its lock is recovered before the change', async () => {
  const { recovering, lock, done, unfinished } = open([]);
  const failed = Promise.withResolvers<void>();
  const moving = lock.run([FILE, hiddenFolder(ID)], async () => {
    await failed.promise;
    unfinished.push(INTENT);
  });
  const changing = recovering.run([FILE], async () => done.push('change'));
  failed.resolve();
  await Promise.all([moving, changing]);
  expect(done).toEqual(['recovery of one', 'change']);
});
