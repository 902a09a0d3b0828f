import { expect, test } from 'vitest';
import { hiddenFolder } from '../../src/catalog/hidden.ts';
import type { PathLock } from '../../src/cluster/cluster.ts';
import { createLocalPathLock } from '../../src/cluster/local.ts';
import type { StoragePath } from '../../src/path.ts';
import { rootedPathLock } from '../../src/spaces/rooted/path-lock.ts';
import { ROOT_OF_SPACE } from './outside.ts';

const at = (path: string) => path as StoragePath;

/** Starts work in the library on some paths, then in a space; returns the order in which both began and ended. */
async function run(inLibrary: string[], inSpace: string[]): Promise<string[]> {
  const library = createLocalPathLock();
  const space = rootedPathLock(library, ROOT_OF_SPACE);
  const events: string[] = [];
  const working = (lock: PathLock, name: string, paths: string[]) =>
    lock.run(paths.map(at), async () => {
      events.push(`${name} begins`);
      await new Promise(setImmediate);
      events.push(`${name} ends`);
    });
  await Promise.all([working(library, 'library', inLibrary), working(space, 'space', inSpace)]);
  return events;
}

const IN_TURN = ['library begins', 'library ends', 'space begins', 'space ends'];
const TOGETHER = ['library begins', 'space begins', 'library ends', 'space ends'];

test.each([
  ['a file', ['customers/acme/a.jpg'], ['a.jpg']],
  ['the folder of the space', ['customers/acme'], ['a/b.jpg']],
  ['a folder above it', ['customers'], ['a.jpg']],
  ['the root of the space', ['customers/acme/a.jpg'], ['']],
  ['an item of the trash', [hiddenFolder('1')], ['a.jpg', hiddenFolder('1')]],
  ['the name of a lock', ['\0variants/a.jpg'], ['\0variants/a.jpg']],
])('%s is locked for the library and the space', async (_what, inLibrary, inSpace) => {
  expect(await run(inLibrary, inSpace)).toEqual(IN_TURN);
});

test.each([
  ['a file of that name outside of it', ['a.jpg'], ['a.jpg']],
  ['another space', ['customers/acme2'], ['']],
  ['another item of the trash', [hiddenFolder('1')], [hiddenFolder('2')]],
])('%s is not locked by the space', async (_what, inLibrary, inSpace) => {
  expect(await run(inLibrary, inSpace)).toEqual(TOGETHER);
});

test('returns the result of the work, and its errors as they are', async () => {
  const space = rootedPathLock(createLocalPathLock(), ROOT_OF_SPACE);
  expect(await space.run([at('a')], async () => 1)).toBe(1);
  const failure = new Error('failed');
  await expect(space.run([at('a')], () => Promise.reject(failure))).rejects.toBe(failure);
});
