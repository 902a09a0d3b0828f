import { expect, test } from 'vitest';
import { parsePath } from '../path.ts';
import { createLocalPathLock } from './local.ts';

/** Starts work on each list of paths and tells in which order it began and ended, every work ending only when told. */
function startAll(...lists: string[][]) {
  const lock = createLocalPathLock();
  const events: string[] = [];
  const works = lists.map((paths, index) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const result = lock.run(paths.map(parsePath), async () => {
      events.push(`begin ${index}`);
      await promise;
    });
    result.catch(() => undefined);
    return { result, resolve, reject };
  });
  const settle = () => new Promise(setImmediate);
  return { events, works, settle };
}

test.each<[string, string[], string[], boolean]>([
  ['the same path', ['a/b'], ['a/b'], true],
  ['a folder and what is in it', ['a'], ['a/b/c'], true],
  ['what is in a folder and the folder', ['a/b/c'], ['a'], true],
  ['the root and anything', [''], ['a/b'], true],
  ['one of several paths', ['x', 'a'], ['y', 'a/b'], true],
  ['neighbours', ['a/b'], ['a/c'], false],
  ['names that begin alike', ['a'], ['ab/c'], false],
])('%s: %j and %j exclude each other: %s', async (_what, one, other, excluded) => {
  const { events, works, settle } = startAll(one, other);
  await settle();
  expect(events).toEqual(excluded ? ['begin 0'] : ['begin 0', 'begin 1']);
  works[0]?.resolve();
  await settle();
  expect(events).toEqual(['begin 0', 'begin 1']);
});

test('work runs in the order of its arrival, and a failure lets the next one begin', async () => {
  const { events, works, settle } = startAll(['a'], ['a', 'b'], ['b']);
  await settle();
  expect(events).toEqual(['begin 0']);
  works[0]?.reject(new Error('failed'));
  await expect(works[0]?.result).rejects.toThrow('failed');
  await settle();
  expect(events).toEqual(['begin 0', 'begin 1']);
  works[1]?.resolve();
  await settle();
  expect(events).toEqual(['begin 0', 'begin 1', 'begin 2']);
});
