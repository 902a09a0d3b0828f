import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { BucketSettings } from '../../src/storage/s3/bucket.ts';
import type { S3Server } from './server.ts';

/**
 * Creates a new, empty bucket on a server.
 * @returns its settings
 */
export async function createBucketOn({
  endpoint,
  accessKeyId,
  secretAccessKey,
}: Omit<S3Server, 'close'>): Promise<BucketSettings> {
  const bucket = `test-${randomUUID()}`;
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  const account = { accessKeyId, secretAccessKey, region: 'auto', endpoint };
  return { bucket, ...account, prefix: '', maxSockets: 32, timeoutMs: 15_000 };
}
