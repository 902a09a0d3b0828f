import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { joinPostgresCluster } from '../../../src/cluster/postgres.ts';
import { openPostgres } from '../../../src/db/postgres/open.ts';
import { PostgresJobEvents } from '../../../src/jobs/events/postgres.ts';
import type { JobEvent } from '../../../src/jobs/events.ts';
import { Queue } from '../../../src/jobs/queue.ts';
import { SqlJobStore } from '../../../src/jobs/sql-job-store.ts';
import { silentLog } from '../../job-queue.ts';
import { newDatabase } from '../../postgres/database.ts';

export interface ToyOptions {
  url: string;
  leaseMs: number;
  /** Duration of a job; without it, the job waits for a command. */
  workMs?: number | undefined;
  /** Offset of its clock. */
  clockMs?: number;
}

export const TOY_QUEUE = {
  retryMax: 0,
  retryDelayMs: 1,
  cleanupMs: 3_600_000,
  leaseMs: 60_000,
  queueMax: 1000,
  queueMaxPerClient: 1000,
};

/** A node in its own process that runs toy jobs. */
export interface ToyNode {
  child: ChildProcess;
  /** Its output: `begun`, `completed` or `refused`, and the job. */
  said: string[];
  /** Returns the jobs that it has begun and not completed. */
  running(): string[];
  finish(): void;
  kill(): Promise<void>;
}

/** Opens a node that only adds jobs and listens, and others that run them. */
export async function openToys(options: Omit<ToyOptions, 'url'>) {
  const url = await newDatabase();
  const { db, close } = await openPostgres({ url });
  const cluster = await joinPostgresCluster({ url, log: silentLog, probeMs: 30_000 });
  const events = new PostgresJobEvents({ db, bus: cluster.bus, log: silentLog });
  const store = new SqlJobStore(db);
  const queue = new Queue({ store, events, bus: cluster.bus, ...TOY_QUEUE });
  const heard: JobEvent[] = [];
  await events.lastId();
  events.subscribe((event) => heard.push(event));
  const nodes: ToyNode[] = [];
  return {
    db,
    queue,
    store,
    heard,
    /** Returns the number of events of a job, or of all jobs. */
    count: (type: JobEvent['type'], id?: string) =>
      heard.filter((event) => event.type === type && (id === undefined || event.data.jobId === id)).length,
    async start(more: Partial<ToyOptions> = {}): Promise<ToyNode> {
      const node = startToy({ ...options, url, ...more });
      nodes.push(node);
      while (!node.said.includes('ready ')) await once(node.child.stdout ?? node.child, 'data');
      return node;
    },
    async close() {
      await Promise.all(nodes.map((node) => node.kill()));
      await events.close();
      await cluster.close();
      await close();
    },
  };
}

function startToy(options: ToyOptions): ToyNode {
  const file = fileURLToPath(new URL('./toy-node.ts', import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'close');
  child.stdin.on('error', () => undefined);
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  const idsOf = (word: string) =>
    said.flatMap((line) => (line.startsWith(`${word} `) ? line.slice(word.length + 1) : []));
  return {
    child,
    said,
    running: () => idsOf('begun').filter((id) => !idsOf('completed').includes(id)),
    finish: () => void child.stdin.write('finish\n'),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
