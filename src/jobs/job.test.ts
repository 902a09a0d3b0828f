import { expect, test } from 'vitest';
import { readMachine } from '../runtime/machine.ts';
import { planCapacity } from './capacity.ts';
import { retryDelay } from './job.ts';

const GIB = 1024 ** 3;

test('the wait before a retry doubles, up to a minute', () => {
  expect([1, 2, 3, 4, 5, 6, 20].map((attempts) => retryDelay(attempts, 2000))).toEqual([
    2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000,
  ]);
});

test.each([
  [{ cpus: 1, memoryBytes: 0.5 * GIB }, {}, { maxConcurrent: 1, threads: 1, memoryBytes: 0.25 * GIB }],
  [{ cpus: 2, memoryBytes: 4 * GIB }, {}, { maxConcurrent: 1, threads: 2, memoryBytes: 0.5 * GIB }],
  [{ cpus: 2, memoryBytes: 64 * GIB }, {}, { maxConcurrent: 1, threads: 2, memoryBytes: 0.5 * GIB }],
  [{ cpus: 4, memoryBytes: 8 * GIB }, {}, { maxConcurrent: 2, threads: 2, memoryBytes: GIB }],
  [{ cpus: 8, memoryBytes: 64 * GIB }, {}, { maxConcurrent: 4, threads: 2, memoryBytes: 2 * GIB }],
  [{ cpus: 64, memoryBytes: 512 * GIB }, {}, { maxConcurrent: 32, threads: 2, memoryBytes: 2 * GIB }],
  [{ cpus: 16, memoryBytes: 4 * GIB }, {}, { maxConcurrent: 2, threads: 8, memoryBytes: GIB }],
  [{ cpus: 2, memoryBytes: 4 * GIB }, { maxConcurrent: 3 }, { maxConcurrent: 3, threads: 1, memoryBytes: 0.5 * GIB }],
  [{ cpus: 8, memoryBytes: 64 * GIB }, { threads: 1 }, { maxConcurrent: 4, threads: 1, memoryBytes: 2 * GIB }],
  [{ cpus: 2, memoryBytes: GIB }, { memoryBytes: 7 }, { maxConcurrent: 1, threads: 2, memoryBytes: 7 }],
])('a machine of %o with the settings %o runs %o', (machine, wanted, expected) => {
  expect(planCapacity(machine, wanted)).toEqual(expected);
});

test('this machine has CPUs and memory', () => {
  const { cpus, memoryBytes } = readMachine();
  expect(cpus).toBeGreaterThanOrEqual(1);
  expect(memoryBytes).toBeGreaterThan(GIB / 8);
  expect(memoryBytes).toBeLessThan(2 ** 50);
});
