import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acceptedOptions, V8_OPTIONS } from '../../scripts/v8-options.mjs';
import { WORKER_OPTIONS } from '../../src/render/worker-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test('this Node takes all options of V8 that the service and its workers are started with', () => {
  expect(acceptedOptions(V8_OPTIONS)).toEqual(V8_OPTIONS);
  expect(acceptedOptions(WORKER_OPTIONS)).toEqual(WORKER_OPTIONS);
});

test('an option that a Node does not know is left out, and the others stay', () => {
  const [first = '', ...rest] = V8_OPTIONS;
  expect(acceptedOptions([first, '--no-option-of-any-node', ...rest])).toEqual(V8_OPTIONS);
  expect(acceptedOptions(['--no-option-of-any-node'])).toEqual([]);
});

test('the container, whose Node is known, starts the service with all of them', async () => {
  const command = /^CMD (\[.*\])$/m.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '[]';
  expect(JSON.parse(command)).toEqual(['node', ...V8_OPTIONS, 'src/main.ts']);
});
