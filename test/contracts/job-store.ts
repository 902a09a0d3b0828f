import { afterEach, beforeEach, describe } from 'vitest';
import { answering } from './job-store/answers.ts';
import type { JobStoreBench } from './job-store/bench.ts';
import { changing } from './job-store/changes.ts';
import { claiming } from './job-store/claims.ts';
import { timing } from './job-store/clock.ts';
import { sharing } from './job-store/fairness.ts';
import { walking } from './job-store/walk.ts';

/** Tests of every job store. `create` returns an empty store with the given clock. */
export function jobStoreContract(name: string, create: (clock: { now: number }) => Promise<JobStoreBench>): void {
  describe(`${name} as a job store`, () => {
    let current: JobStoreBench;
    const bench = () => current;
    beforeEach(async () => {
      current = await create({ now: Date.UTC(2026, 0, 1) });
    });
    afterEach(() => current.close());

    describe('adding and claiming', () => claiming(bench));
    describe('sharing', () => sharing(bench));
    describe('a clock that is set back', () => timing(bench));
    describe('changes of state', () => changing(bench));
    describe('answers', () => answering(bench));
    describe('a random walk', () => walking(create));
  });
}
