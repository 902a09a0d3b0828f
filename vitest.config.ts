import { defineConfig } from 'vitest/config';

const ON_S3 = 'test/s3/**/*.test.ts';
const ON_POSTGRES = 'test/postgres/**/*.test.ts';
const ON_BOTH = 'test/cluster/**/*.test.ts';
const IN_BROWSER = 'test/dashboard/**/*.test.ts';

const S3_SETUP = 'test/s3/global-setup.ts';
const POSTGRES_SETUP = 'test/postgres/global-setup.ts';
const BROWSER_SETUP = 'test/dashboard/global-setup.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    // Most of their time tests wait for processes and disks.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a test waits for comes when the machine gets to it.
    expect: { poll: { timeout: 30_000 } },
    // Only a run that has one of a project's tests starts its servers.
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [ON_S3, ON_POSTGRES, ON_BOTH, IN_BROWSER],
        },
      },
      { extends: true, test: { name: 's3', include: [ON_S3], globalSetup: [S3_SETUP] } },
      { extends: true, test: { name: 'postgres', include: [ON_POSTGRES], globalSetup: [POSTGRES_SETUP] } },
      { extends: true, test: { name: 'cluster', include: [ON_BOTH], globalSetup: [S3_SETUP, POSTGRES_SETUP] } },
      {
        extends: true,
        test: {
          ...{ name: 'dashboard', include: [IN_BROWSER], globalSetup: [BROWSER_SETUP] },
          // A page is opened four times in one test, by a browser that shares the processor with everything else.
          ...{ testTimeout: 180_000, hookTimeout: 120_000 },
        },
      },
    ],
  },
});
