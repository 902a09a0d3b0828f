import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject } from 'vitest';
import { newDatabase } from '../postgres/database.ts';
import { type ServiceProcess, startServiceProcess } from '../process/service-process.ts';
import { environmentOf, newBucket } from '../s3/bucket.ts';
import { TEST_KEY } from '../service.ts';

/**
 * Defines a group of tests that need PostgreSQL and an S3 server; without one of them the group is skipped with a
 * reason.
 */
export function describeOnBoth(name: string, tests: () => void | Promise<void>): void {
  const missing = [inject('postgres'), inject('s3')].flatMap((found) => ('missing' in found ? [found.missing] : []));
  if (missing.length > 0) describe.skip(`${name} (skipped: ${missing.join('; ')})`, tests);
  else describe(name, tests);
}

/** One node of an installation: the real service in its own process, with its own disk. */
export interface Node extends ServiceProcess {
  /** Returns a value of its metrics. */
  metric(name: string): Promise<number>;
  /** Its data folder. */
  data: string;
}

/** An installation of several nodes on one database and one bucket. */
export interface Installation {
  databaseUrl: string;
  /** Environment shared by all its nodes. */
  environment: Record<string, string>;
  start(overrides?: Record<string, string>): Promise<Node>;
  /** Stores an image in the bucket, through one of its nodes. */
  upload(node: Node, name: string, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export async function newInstallation(settings: Record<string, string> = {}): Promise<Installation> {
  const databaseUrl = await newDatabase();
  const environment = {
    ...environmentOf(await newBucket()),
    DATABASE_URL: databaseUrl,
    API_KEY: TEST_KEY,
    RENDER_WORKERS: '1',
    ...settings,
  };
  const nodes: { process: ServiceProcess; folder: string }[] = [];
  return {
    databaseUrl,
    environment,
    async start(overrides = {}) {
      const folder = await mkdtemp(join(tmpdir(), 'darkroom-node-'));
      const process = await startServiceProcess({ DATA_DIR: folder, ...environment, ...overrides });
      nodes.push({ process, folder });
      return { ...process, data: overrides.DATA_DIR ?? folder, metric: (name) => metricOf(process.url, name) };
    },
    async upload({ url }, name, bytes) {
      const form = new FormData();
      form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
      const headers = { authorization: `Bearer ${TEST_KEY}` };
      const { status } = await fetch(`${url}/upload`, { method: 'POST', body: form, headers });
      if (status !== 200) throw new Error(`The upload of ${name} was answered with ${status}.`);
    },
    async close() {
      // Includes those that a test has stopped.
      await Promise.all(nodes.map(({ process }) => process.end('SIGKILL')));
      await Promise.all(nodes.map(({ folder }) => rm(folder, { recursive: true, force: true })));
    },
  };
}

async function metricOf(url: string, name: string): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TEST_KEY}` } });
  const line = new RegExp(`^${name} (\\S+)$`, 'm').exec(await response.text());
  if (!line) throw new Error(`There is no metric ${name}.`);
  return Number(line[1]);
}
