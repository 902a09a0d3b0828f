import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, inject } from 'vitest';
import type { BlobStore } from '../../src/storage/blob-store.ts';
import { type Bucket, type BucketSettings, createBucket } from '../../src/storage/s3/bucket.ts';
import { S3Store } from '../../src/storage/s3/store.ts';
import { createBucketOn } from './create.ts';

/** Defines a group of tests that need the server; without one it is skipped with a reason. */
export function describeOnS3(name: string, tests: () => void | Promise<void>): void {
  const s3 = inject('s3');
  if ('missing' in s3) describe.skip(`${name} (skipped: ${s3.missing})`, tests);
  else describe(name, tests);
}

/** Returns the settings of a new, empty bucket. */
export async function newBucket(overrides: Partial<BucketSettings> = {}): Promise<BucketSettings> {
  const s3 = inject('s3');
  if ('missing' in s3) throw new Error(s3.missing);
  return { ...(await createBucketOn(s3)), ...overrides };
}

/** Returns the settings as the environment of a service. */
export function environmentOf(settings: BucketSettings): Record<string, string> {
  return {
    STORAGE_BUCKET_NAME: settings.bucket,
    STORAGE_ACCESS_KEY_ID: settings.accessKeyId,
    STORAGE_SECRET_ACCESS_KEY: settings.secretAccessKey,
    STORAGE_ENDPOINT: settings.endpoint ?? '',
    STORAGE_PREFIX: settings.prefix,
    STORAGE_MAX_CONNECTIONS: String(settings.maxSockets),
    STORAGE_TIMEOUT_MS: String(settings.timeoutMs),
  };
}

/**
 * Runs tests of the service that know nothing of buckets on one: every service that they start stores its files there.
 */
export function sameTestsOnS3(name: string, tests: () => Promise<unknown>, onDiskOnly: readonly string[] = []): void {
  describeOnS3(name, async () => {
    beforeEach(({ skip, task }) => {
      if (onDiskOnly.includes(task.name)) skip('It is about the disk, or about one cache alone.');
    });
    beforeAll(async () => {
      process.env.DARKROOM_TEST_BUCKET = JSON.stringify(environmentOf(await newBucket()));
    });
    afterAll(() => {
      delete process.env.DARKROOM_TEST_BUCKET;
    });
    await tests();
  });
}

export interface TestStore {
  store: BlobStore;
  bucket: Bucket;
  close(): Promise<void>;
}

/** Opens a store on a new bucket, or on the bucket of these settings. */
export async function newS3Store(
  settings?: BucketSettings,
  hasPartConditions = false,
  hasDeleteConditions = false,
): Promise<TestStore> {
  const bucket = createBucket(settings ?? (await newBucket()));
  const folder = await mkdtemp(join(tmpdir(), 's3-staging-'));
  const staging = { directory: folder, maxBytes: 64 * 1024 * 1024 };
  return {
    store: new S3Store({ bucket, staging, hasConditions: true, hasPartConditions, hasDeleteConditions }),
    bucket,
    async close() {
      bucket.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
