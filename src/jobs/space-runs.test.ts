import { beforeEach, expect, test, vi } from 'vitest';
import { filmJob } from '../../test/job-queue.ts';
import { readConfig } from '../config.ts';
import type { StoragePath } from '../path.ts';
import type { ClaimedJob } from './job.ts';
import { createTranscodeRunBySpace, type TranscodeRunOptions, type TranscodesOf } from './transcode-job.ts';
import { FinalFailure } from './worker.ts';

const CONTEXT = { signal: AbortSignal.any([]), onProgress: () => undefined };

let looked: string[];
beforeEach(() => {
  looked = [];
});

const own = { run: vi.fn(async () => undefined), runTogether: vi.fn(() => [Promise.resolve()]) };

/** Services whose cache has every variant. */
const options = {
  variants: {
    async get(path: StoragePath) {
      looked.push(path);
      return {};
    },
  },
  rules: readConfig({}).limits,
  splitTransformation: ({ transformation }: ClaimedJob) => ({ base: transformation, overlay: undefined }),
  temp: '',
} as unknown as TranscodeRunOptions;

const transcodesOf: TranscodesOf = (space) => {
  if (space !== 'acme') throw new FinalFailure('The space of the job was deleted.');
  return { options, toInner: (path) => path.slice('customers/acme/'.length) as StoragePath };
};

function jobOf(space: string): ClaimedJob {
  const path = 'customers/acme/films/a.mp4' as StoragePath;
  return { ...filmJob('a', { path, space }), id: space, lease: 'l' } as unknown as ClaimedJob;
}

test('a job of the library runs on the services of the library', async () => {
  const runs = createTranscodeRunBySpace(own, transcodesOf);
  await runs.run(jobOf(''), CONTEXT);
  await Promise.all(runs.runTogether([{ job: jobOf(''), ...CONTEXT }]));
  expect([own.run, own.runTogether].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  expect(looked).toEqual([]);
});

test('a job of a space runs on the services of the space, with its inner path', async () => {
  const runs = createTranscodeRunBySpace(own, transcodesOf);
  await runs.run(jobOf('acme'), CONTEXT);
  expect(looked).toEqual(['films/a.mp4']);
  const running = { job: jobOf('acme'), ...CONTEXT };
  await Promise.all(runs.runTogether([running, running]));
  expect(new Set(looked)).toEqual(new Set(['films/a.mp4']));
});

test('a job of a space that was deleted fails for good', async () => {
  const runs = createTranscodeRunBySpace(own, transcodesOf);
  await expect(runs.run(jobOf('gone'), CONTEXT)).rejects.toThrow(FinalFailure);
  const running = { job: jobOf('gone'), ...CONTEXT };
  for (const result of await Promise.allSettled(runs.runTogether([running, running]))) {
    expect(result).toMatchObject({ status: 'rejected', reason: { name: 'FinalFailure' } });
  }
});
