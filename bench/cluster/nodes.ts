import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { Client } from 'pg';
import { PostgresServer } from '../../test/postgres/server.ts';
import { startS3Server } from '../../test/s3/server.ts';
import { AUTHORIZATION, type Darkroom, type DarkroomOptions, startDarkroom } from '../tools/service.ts';

/** A bucket server and PostgreSQL, with the services on them. */
export interface Site {
  /** Starts an independent service with its own bucket and SQLite. */
  startAlone(options?: StartOptions): Promise<Darkroom>;
  /** Starts several nodes of a new installation. */
  startNodes(count: number, options?: StartOptions): Promise<Darkroom[]>;
  /** Starts another node of the last installation. */
  startNode(options?: StartOptions): Promise<Darkroom>;
  /** Number of PostgreSQL transactions of the last installation. */
  transactions(): Promise<number>;
  close(): Promise<void>;
}

/** Every service has a new data folder. */
export type StartOptions = Omit<DarkroomOptions, 'data'>;

export async function openSite(): Promise<Site> {
  const store = await startS3Server();
  const postgres = await PostgresServer.start();
  const { endpoint, accessKeyId, secretAccessKey } = store;

  async function newBucket(): Promise<Record<string, string>> {
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
    const name = `bench-${randomUUID()}`;
    await client.send(new CreateBucketCommand({ Bucket: name }));
    client.destroy();
    return {
      STORAGE_BUCKET_NAME: name,
      STORAGE_ACCESS_KEY_ID: accessKeyId,
      STORAGE_SECRET_ACCESS_KEY: secretAccessKey,
      STORAGE_ENDPOINT: endpoint,
    };
  }

  async function query<Row>(database: string, text: string): Promise<Row[]> {
    const client = new Client({ connectionString: postgres.url(database) });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows as Row[];
  }

  let installation: Record<string, string> = {};
  let database = '';
  const startNode = ({ environment, ...options }: StartOptions = {}) =>
    startDarkroom({ ...options, environment: { ...installation, ...environment } });

  return {
    startNode,
    async startAlone({ environment, ...options } = {}) {
      return startDarkroom({ ...options, environment: { ...(await newBucket()), ...environment } });
    },
    async startNodes(count, options) {
      database = `bench_${randomUUID().replaceAll('-', '')}`;
      await query('postgres', `create database ${database}`);
      installation = { ...(await newBucket()), DATABASE_URL: postgres.url(database) };
      const nodes: Darkroom[] = [];
      for (let n = 0; n < count; n++) nodes.push(await startNode(options));
      return nodes;
    },
    async transactions() {
      const [row] = await query<{ ended: string }>(
        'postgres',
        `select xact_commit + xact_rollback as ended from pg_stat_database where datname = '${database}'`,
      );
      return Number(row?.ended);
    },
    async close() {
      await store.close();
      await postgres.close();
    },
  };
}

/** Sum of a counter over several services and all labels. */
export async function sumOf(nodes: readonly Darkroom[], metric: string): Promise<number> {
  const values = nodes.map(async ({ url }) => {
    const text = await (await fetch(`${url}/metrics`, { headers: AUTHORIZATION })).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  });
  return (await Promise.all(values)).reduce((sum, value) => sum + value, 0);
}
