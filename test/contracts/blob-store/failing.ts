import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { ROOT } from '../../../src/path.ts';
import { type Current, names, path, put, text } from './steps.ts';

export function failing(store: Current): void {
  test('an error of the source leaves the old file and nothing else', async () => {
    const before = await put(store(), 'a.txt', 'old');
    const broken = new Error('the client went away');
    async function* source() {
      yield Buffer.alloc(200_000);
      throw broken;
    }
    for (const target of ['a.txt', 'new.txt']) {
      await expect(store().write(path(target), source())).rejects.toBe(broken);
      await expect(store().write(path(target), Readable.from(source()))).rejects.toBe(broken);
    }
    expect(await store().stat(path('a.txt'))).toEqual(before);
    expect(await text(store(), 'a.txt')).toBe('old');
    expect(names((await store().list(ROOT)).files)).toEqual(['a.txt']);
  });

  test('sources that fail before they are read are errors, not crashes', async () => {
    const sources = Array.from({ length: 8 }, () => new Readable({ read() {} }));
    const writes = sources.map((source) => store().write(path('a.txt'), source));
    for (const source of sources) source.destroy(new Error('early'));
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes).toEqual(sources.map(() => ({ status: 'rejected', reason: new Error('early') })));
    expect(await store().stat(path('a.txt'))).toBeUndefined();
  });

  test('an abort ends a write whose source has stalled, and destroys the source', async () => {
    const before = await put(store(), 'a.txt', 'old');
    const abort = new AbortController();
    const reads = Promise.withResolvers<void>();
    let served = false;
    const source = new Readable({
      read() {
        if (served) reads.resolve();
        else this.push(Buffer.alloc(100_000));
        served = true;
      },
    });
    const writing = store().write(path('a.txt'), source, { signal: abort.signal });
    await reads.promise;
    abort.abort();
    await expect(writing).rejects.toMatchObject({ name: 'AbortError' });
    expect(source.destroyed).toBe(true);
    expect(await store().stat(path('a.txt'))).toEqual(before);
  });

  test('an abort before or between the chunks leaves nothing behind', async () => {
    const source = new Readable({ read() {} });
    const early = store().write(path('a.txt'), source, { signal: AbortSignal.abort() });
    await expect(early).rejects.toMatchObject({ name: 'AbortError' });
    expect(source.destroyed).toBe(true);
    const abort = new AbortController();
    async function* chunks() {
      yield Buffer.from('one');
      abort.abort();
      yield Buffer.from('two');
    }
    const late = store().write(path('a.txt'), chunks(), { signal: abort.signal });
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
    expect(await store().list(ROOT)).toEqual({ folders: [], files: [] });
  });
}
