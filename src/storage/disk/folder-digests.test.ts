import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderDigests } from './folder-digests.ts';

let folder: string;
let digests: FolderDigests;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'darkroom-digests-')));
  await writeFile(join(folder, 'a.txt'), 'a');
  digests = new FolderDigests();
});
afterEach(async () => {
  await digests.close();
  await rm(folder, { recursive: true });
});

/** A missing folder has an answer that cannot be mistaken for another one. */
const NOWHERE = '/nowhere';

test('looks again after a look has failed', async () => {
  await expect(digests.of(null as never)).rejects.toThrow();
  expect(await digests.of([NOWHERE])).toEqual([undefined]);
});

test('the answer to a question that was given up is not that to the next one', async () => {
  await digests.of([NOWHERE]);
  const gaveUp = new AbortController();
  const first = digests.of([NOWHERE, NOWHERE], gaveUp.signal);
  gaveUp.abort(new Error('No more.'));
  await expect(first).rejects.toThrow('No more.');
  expect(await digests.of([NOWHERE])).toEqual([undefined]);
});

test('answers each of those that ask together', async () => {
  const asked = [digests.of([NOWHERE]), digests.of([NOWHERE, NOWHERE]), digests.of([])];
  expect((await Promise.all(asked)).map(({ length }) => length)).toEqual([1, 2, 0]);
});

test('keeps no process that has nothing else to do', async () => {
  const script = join(folder, 'script.mjs');
  await writeFile(
    script,
    `import { FolderDigests } from ${JSON.stringify(new URL('./folder-digests.ts', import.meta.url))};
    console.log(await new FolderDigests().of([${JSON.stringify(NOWHERE)}]));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 30_000 });
  expect(stdout).toBe('[ undefined ]\n');
});
