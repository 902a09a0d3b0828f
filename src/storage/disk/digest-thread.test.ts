import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { programFile } from '../../runtime/packed.ts';
import { QuestionThread } from '../../runtime/question-thread.ts';
import type { DigestAnswer, DigestOrder } from './digest-thread.ts';

const PROGRAM = programFile('./digest-thread', import.meta.url);

let folder: string;
let digests: QuestionThread<DigestOrder, DigestAnswer>;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'darkroom-digests-')));
  await writeFile(join(folder, 'a.txt'), 'a');
  digests = new QuestionThread(PROGRAM);
});
afterEach(async () => {
  await digests.close();
  await rm(folder, { recursive: true });
});

/** A missing folder has an answer that cannot be mistaken for another one. */
const NOWHERE = '/nowhere';

test('looks again after a look has failed', async () => {
  await expect(digests.ask(null as never)).rejects.toThrow();
  expect(await digests.ask([NOWHERE])).toEqual([undefined]);
});

test('the answer to a question that was given up is not that to the next one', async () => {
  await digests.ask([NOWHERE]);
  const gaveUp = new AbortController();
  const first = digests.ask([NOWHERE, NOWHERE], gaveUp.signal);
  gaveUp.abort(new Error('No more.'));
  await expect(first).rejects.toThrow('No more.');
  expect(await digests.ask([NOWHERE])).toEqual([undefined]);
});

test('answers each of those that ask together', async () => {
  const asked = [digests.ask([NOWHERE]), digests.ask([NOWHERE, NOWHERE]), digests.ask([])];
  expect((await Promise.all(asked)).map(({ length }) => length)).toEqual([1, 2, 0]);
});

test('keeps no process that has nothing else to do', async () => {
  const script = join(folder, 'script.mjs');
  await writeFile(
    script,
    `import { QuestionThread } from ${JSON.stringify(new URL('../../runtime/question-thread.ts', import.meta.url))};
    const thread = new QuestionThread(new URL(${JSON.stringify(PROGRAM)}));
    console.log(await thread.ask([${JSON.stringify(NOWHERE)}]));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 30_000 });
  expect(stdout).toBe('[ undefined ]\n');
});
