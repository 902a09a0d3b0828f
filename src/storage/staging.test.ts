import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Staging } from './staging.ts';

let directory: string;
let staging: Staging;
let fetched: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'staging-'));
  staging = new Staging({ directory, maxBytes: 100 });
  fetched = [];
});
afterEach(() => rm(directory, { recursive: true }));

/** Creates a remote file of that many bytes, with its key as content. */
function remote(key: string, size = 40) {
  const fetch = async (file: string) => {
    fetched.push(key);
    await writeFile(file, key);
  };
  return { key, size, fetch };
}

const read = (key: string, size?: number) => staging.use(remote(key, size), (file) => readFile(file, 'utf8'));

describe('staged files', () => {
  test('are fetched once, however many use them at once and afterwards', async () => {
    expect(await Promise.all(Array.from({ length: 10 }, () => read('a')))).toEqual(Array(10).fill('a'));
    expect(await read('a')).toBe('a');
    expect(fetched).toEqual(['a']);
  });

  test('are kept up to the budget; the ones used longest ago go first', async () => {
    await read('a');
    await read('b');
    await read('a');
    await read('c');
    expect(await readdir(directory)).toHaveLength(2);
    await read('a');
    expect(fetched).toEqual(['a', 'b', 'c']);
    await read('b');
    expect(fetched).toEqual(['a', 'b', 'c', 'b']);
  });

  test('stay for as long as somebody uses them, whatever the budget', async () => {
    await staging.use(remote('large', 500), async (file) => {
      for (const key of ['a', 'b', 'c']) await read(key);
      expect(await readFile(file, 'utf8')).toBe('large');
    });
    expect((await readdir(directory)).length).toBeLessThanOrEqual(2);
  });

  test('that could not be fetched leave nothing behind, and are fetched again', async () => {
    const broken = async (file: string) => {
      await writeFile(file, 'half');
      throw new Error('the connection broke');
    };
    await expect(staging.use({ ...remote('a'), fetch: broken }, async () => undefined)).rejects.toThrow('broke');
    expect(await readdir(directory)).toEqual([]);
    expect(await read('a')).toBe('a');
  });

  test('one that leaves does not take the file from the others', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = { ...remote('a'), fetch: (file: string) => gate.promise.then(() => writeFile(file, 'a')) };
    const abort = new AbortController();
    const leaving = staging.use(slow, (file) => readFile(file, 'utf8'), abort.signal);
    const staying = staging.use(slow, (file) => readFile(file, 'utf8'));
    abort.abort();
    await expect(leaving).rejects.toMatchObject({ name: 'AbortError' });
    gate.resolve();
    expect(await staying).toBe('a');
  });
});
