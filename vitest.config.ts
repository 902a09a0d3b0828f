import { defineConfig } from 'vitest/config';

const ON_S3 = 'test/s3/**/*.test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    // Most of their time tests wait for processes and disks.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a test waits for comes when the machine gets to it.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: { name: 'service', include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: [ON_S3] },
      },
      {
        // Only a run that has one of these tests starts the server.
        extends: true,
        test: { name: 's3', include: [ON_S3], globalSetup: ['test/s3/global-setup.ts'] },
      },
    ],
  },
});
