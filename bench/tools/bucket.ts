import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { inParallel } from '../../src/storage/in-parallel.ts';
import type { S3Server } from '../../test/s3/server.ts';

export interface Bucket {
  /** Settings of a service that stores its originals there. */
  environment: Record<string, string>;
  /** Stores originals with the same content, as another program would. */
  put(paths: Iterable<string>, bytes: Uint8Array): Promise<void>;
}

const CONCURRENT_PUTS = 32;

export async function createBucket({ endpoint, accessKeyId, secretAccessKey }: S3Server): Promise<Bucket> {
  const name = `bench-${randomUUID()}`;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: name }));
  return {
    environment: {
      STORAGE_BUCKET_NAME: name,
      STORAGE_ACCESS_KEY_ID: accessKeyId,
      STORAGE_SECRET_ACCESS_KEY: secretAccessKey,
      STORAGE_ENDPOINT: endpoint,
    },
    put: (paths, bytes) =>
      inParallel(paths, CONCURRENT_PUTS, async (path) => {
        await client.send(new PutObjectCommand({ Bucket: name, Key: `originals/${path}`, Body: bytes }));
      }),
  };
}
