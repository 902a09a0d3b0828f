import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { Cluster } from '../../../src/cluster/cluster.ts';
import type { Message } from '../../../src/cluster/messages.ts';
import { joinPostgresCluster, type PostgresClusterOptions } from '../../../src/cluster/postgres.ts';
import { createLog } from '../../../src/log.ts';

export const log = createLog({ level: 'silent', format: 'json' });

/** Joins this many nodes on one PostgreSQL. */
export async function join(
  url: string,
  count: number,
  options: Partial<PostgresClusterOptions> = {},
): Promise<Cluster[]> {
  // No test depends on the timeouts of other nodes on a busy host.
  const patient = { probeMs: 30_000, lockWaitMs: 60_000, longestPauseMs: 200 };
  const joining = Array.from({ length: count }, () => joinPostgresCluster({ url, log, ...patient, ...options }));
  return Promise.all(joining);
}

/** Resolves with the first message of this kind that a node receives. */
export function hears<Kind extends Message['kind']>(node: Cluster, kind: Kind): Promise<Message & { kind: Kind }> {
  return new Promise((resolve) => {
    const stop = node.bus.subscribe((message) => {
      if (message.kind !== kind) return;
      stop();
      resolve(message as Message & { kind: Kind });
    });
  });
}

/** Resolves when a node detects that it may have missed messages. */
export function resyncs(node: Cluster): Promise<void> {
  return new Promise((resolve) => {
    const stop = node.bus.onResync(() => {
      stop();
      resolve();
    });
  });
}

/** Terminates connections like an administrator. */
export async function terminate(url: string, applicationName: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const text = `select pg_terminate_backend(pid) from pg_stat_activity
    where application_name like $1 || '%' and datname = current_database()`;
  await client.query(text, [applicationName]);
  await client.end();
}

/** Returns the number of locks with waiters. */
export async function waitingLocks(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const text = `select 1 from pg_locks join pg_database on database = pg_database.oid where not granted and locktype = 'advisory' and datname = current_database()`;
  const { rowCount } = await client.query(text);
  await client.end();
  return rowCount ?? 0;
}

/** Starts another process that has begun the work for a key and does not end it. */
export async function startHolder(url: string, key: string) {
  const file = fileURLToPath(new URL('./holder.ts', import.meta.url));
  const child = spawn(process.execPath, [file, url, key], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'close');
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  if (line !== 'working') throw new Error('The holder has ended.');
  return {
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
