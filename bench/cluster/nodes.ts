import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { Client } from 'pg';
import { PostgresServer } from '../../test/postgres/server.ts';
import { startS3Server } from '../../test/s3/server.ts';
import { type Darkroom, type DarkroomOptions, startDarkroom } from '../tools/service.ts';

/** A store and a PostgreSQL, and the services that are started on them. */
export interface Site {
  /** A service of its own, on a bucket of its own, that keeps its records in SQLite. */
  startAlone(options?: StartOptions): Promise<Darkroom>;
  /** Several nodes of one new installation. */
  startNodes(count: number, options?: StartOptions): Promise<Darkroom[]>;
  /** One node more of the last installation. */
  startNode(options?: StartOptions): Promise<Darkroom>;
  /** How many transactions PostgreSQL has ended in the last installation so far. */
  transactions(): Promise<number>;
  close(): Promise<void>;
}

/** Every service has a new data folder. */
export type StartOptions = Omit<DarkroomOptions, 'data'>;

/** Each node may render as much as all of them together, so that places are no part of what is compared. */
export async function openSite(): Promise<Site> {
  const [store, postgres] = [await startS3Server(), await PostgresServer.start()];
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

  async function ask<Row>(database: string, text: string): Promise<Row[]> {
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
      await ask('postgres', `create database ${database}`);
      installation = { ...(await newBucket()), DATABASE_URL: postgres.url(database) };
      const nodes: Darkroom[] = [];
      for (let n = 0; n < count; n++) nodes.push(await startNode(options));
      return nodes;
    },
    async transactions() {
      const [row] = await ask<{ ended: string }>(
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

/** The sum of a counter of several services, without a label. */
export async function sumOf(nodes: readonly Darkroom[], metric: string): Promise<number> {
  const values = nodes.map(async ({ url }) => {
    const text = await (await fetch(`${url}/metrics`, { headers: KEY })).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  });
  return (await Promise.all(values)).reduce((sum, value) => sum + value, 0);
}

/** The services of the benchmarks know this key. */
export const KEY = { authorization: 'Bearer bench-key-0123456789-0123456789-0123456789' };
