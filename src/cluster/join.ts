import { createLog, type Log } from '../log.ts';
import type { Cluster } from './cluster.ts';
import { createLocalCluster } from './local.ts';
import type { Message } from './messages.ts';
import type { PostgresClusterOptions } from './postgres.ts';

/** Settings that decide whether there are other nodes, and how they are reached. */
export interface ClusterConfig {
  database: { url: string | undefined; sessionUrl: string | undefined };
  cluster: Pick<PostgresClusterOptions, 'onceWaitMs'>;
}

/** Connects the other nodes of the installation: there are some if the database can be shared. */
export async function joinCluster({ database, cluster }: ClusterConfig, log: Log): Promise<Cluster> {
  const { url, sessionUrl } = database;
  if (url === undefined) return createLocalCluster();
  const { joinPostgresCluster } = await import('./postgres.ts');
  return joinPostgresCluster({ url, sessionUrl, log, ...cluster });
}

/**
 * Notifies the nodes on behalf of a process that is none of them. After a failure, they find out later by themselves.
 */
export async function notifyNodes(config: ClusterConfig, message: Message): Promise<void> {
  try {
    const cluster = await joinCluster(config, createLog({ level: 'silent', format: 'json' }));
    await cluster.bus.publish(message);
    await cluster.close();
  } catch {
    // The change has been made.
  }
}
