import { afterAll, beforeAll } from 'vitest';
import { describeOnPostgres, serverUrl } from '../postgres/database.ts';
import { sameTestsOnS3 } from '../s3/bucket.ts';

/**
 * Runs tests of the service that know nothing of clusters on PostgreSQL and a bucket: every service that they start
 * uses them.
 */
export function sameTestsOnCluster(
  name: string,
  tests: () => Promise<unknown>,
  onOneMachineOnly: readonly string[] = [],
): void {
  describeOnPostgres('on PostgreSQL and a bucket', () => {
    beforeAll(() => {
      process.env.DARKROOM_TEST_POSTGRES = serverUrl();
    });
    afterAll(() => {
      delete process.env.DARKROOM_TEST_POSTGRES;
    });
    sameTestsOnS3(name, tests, onOneMachineOnly);
  });
}
