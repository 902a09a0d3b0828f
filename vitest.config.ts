import { defineConfig } from 'vitest/config';
import { filesOf } from './test/circles.ts';
import { MixedOrder } from './test/mixed-order.ts';

const ON_S3 = 'test/s3/**/*.test.ts';
const ON_POSTGRES = 'test/postgres/**/*.test.ts';
const ON_BOTH = 'test/cluster/**/*.test.ts';
const IN_BROWSER = 'test/dashboard/**/*.test.ts';
const IN_BROWSER_ON_S3 = 'test/dashboard/bucket/**/*.test.ts';
const WITH_CLIENTS = 'test/clients/*.test.ts';
const ON_SITE = 'test/site/*.test.ts';
const WITH_FRAMEWORKS = 'test/darkroom-client/frameworks/*.test.ts';
const WITH_VERIFIER = 'test/webhooks/*.test.ts';
const WITH_ASSISTANT = 'test/darkroom-client/mcp/*.test.ts';
/** Packages installed by test/packages.ts have their own tests. */
const PACKAGES = '**/node_modules/**';

/** Selects one circle of files; all files by default. */
const circle = process.env.TEST_CIRCLE;
const OUTSIDE = circle === 'first' ? filesOf('second') : circle === 'second' ? filesOf('first') : [];

/**
 * Files that share processes: loading the service takes longer than most of them. None may change the state that others
 * see.
 */
const SHARED = [
  'test/api/**/*.test.ts',
  'test/darkroom-client/*.test.ts',
  'web/src/**/*.test.ts',
  'src/{auth,catalog,cluster,db,delivery,http,jobs,transformation}/**/*.test.ts',
  'src/image/{drawing,encode,facts,findings,layers,layout,steps,text}/**/*.test.ts',
  'src/image/{code-points,png-colour}.test.ts',
  'packages/image-files/src/colour/*.test.ts',
];
/** Exceptions: files that measure their process, or replace parts of it. */
const ALONE = [
  'src/db/sqlite/database-file.test.ts',
  'test/api/clock.test.ts',
  'test/api/json-bodies.test.ts',
  'test/api/load.test.ts',
  'test/api/streams.test.ts',
];

const S3_SETUP = 'test/s3/global-setup.ts';
const POSTGRES_SETUP = 'test/postgres/global-setup.ts';
const BROWSER_SETUP = 'test/dashboard/global-setup.ts';
const CLIENTS_SETUP = 'test/clients/global-setup.ts';
const SITE_SETUP = 'test/site/global-setup.ts';
const FRAMEWORKS_SETUP = 'test/darkroom-client/frameworks/global-setup.ts';
const VERIFIER_SETUP = 'test/webhooks/global-setup.ts';
const ASSISTANT_SETUP = 'test/darkroom-client/mcp/global-setup.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests wait for processes and disks most of their time.
    maxWorkers: 4,
    exclude: [PACKAGES, ...OUTSIDE],
    sequence: { sequencer: MixedOrder },
    // Timeout for a failing test, not for a passing one: all share the processor.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // On a busy host, the event that a test waits for comes late.
    expect: { poll: { timeout: 30_000 } },
    // A project's servers start only in a run that includes one of its tests.
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: ['src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [
            PACKAGES,
            ON_S3,
            ON_POSTGRES,
            ON_BOTH,
            IN_BROWSER,
            WITH_CLIENTS,
            WITH_FRAMEWORKS,
            ON_SITE,
            WITH_VERIFIER,
            WITH_ASSISTANT,
            ...SHARED,
          ],
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
      { extends: true, test: { name: 'shared', include: SHARED, exclude: ALONE, isolate: false } },
      { extends: true, test: { name: 's3', include: [ON_S3], globalSetup: [S3_SETUP] } },
      { extends: true, test: { name: 'postgres', include: [ON_POSTGRES], globalSetup: [POSTGRES_SETUP] } },
      { extends: true, test: { name: 'cluster', include: [ON_BOTH], globalSetup: [S3_SETUP, POSTGRES_SETUP] } },
      { extends: true, test: { name: 'clients', include: [WITH_CLIENTS], globalSetup: [CLIENTS_SETUP] } },
      { extends: true, test: { name: 'site', include: [ON_SITE], globalSetup: [SITE_SETUP] } },
      { extends: true, test: { name: 'webhooks', include: [WITH_VERIFIER], globalSetup: [VERIFIER_SETUP] } },
      { extends: true, test: { name: 'mcp', include: [WITH_ASSISTANT], globalSetup: [ASSISTANT_SETUP] } },
      { extends: true, test: { name: 'frameworks', include: [WITH_FRAMEWORKS], globalSetup: [FRAMEWORKS_SETUP] } },
      {
        extends: true,
        test: {
          name: 'dashboard',
          include: [IN_BROWSER],
          exclude: [PACKAGES, IN_BROWSER_ON_S3],
          globalSetup: [BROWSER_SETUP],
        },
      },
      {
        extends: true,
        test: { name: 'dashboard-s3', include: [IN_BROWSER_ON_S3], globalSetup: [S3_SETUP, BROWSER_SETUP] },
      },
    ],
  },
});
