import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { runChaos } from '../cluster/chaos/chaos.ts';
import { PostgresServer } from '../postgres/server.ts';
import { startS3Server } from '../s3/server.ts';
import type { FuzzOrder, FuzzReport } from './run.ts';

export const unit = 'rounds';
export const defaultCount = 30;

const NODES = 3;
const BUCKET = 'chaos';

/**
 * Kills the nodes of an installation at random while files are stored, transcoded and deleted through all of them, and
 * compares the final state with the acknowledged changes.
 */
export async function fuzz({ count, seed }: FuzzOrder): Promise<FuzzReport> {
  const postgres = await PostgresServer.start();
  const s3 = await startS3Server();
  try {
    const { endpoint, accessKeyId, secretAccessKey } = s3;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    client.destroy();
    const limits = { prefix: '', maxSockets: 32, timeoutMs: 15_000 };
    const bucket = { bucket: BUCKET, region: 'auto', endpoint, ...credentials, ...limits };
    return await runChaos({ databaseUrl: postgres.url(), bucket, nodes: NODES, rounds: count, seed });
  } finally {
    await s3.close();
    await postgres.close();
  }
}
