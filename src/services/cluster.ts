import type { Cluster } from '../cluster/cluster.ts';
import { createLocalCluster } from '../cluster/local.ts';
import type { Message } from '../cluster/messages.ts';
import type { Config } from '../config.ts';
import { createLog, type Log } from '../log.ts';

/** Connects the other nodes of the installation: there are some if the database can be shared. */
export async function joinCluster({ database, cluster }: Config, log: Log): Promise<Cluster> {
  const { url, sessionUrl } = database;
  if (url === undefined) return createLocalCluster();
  const { joinPostgresCluster } = await import('../cluster/postgres.ts');
  return joinPostgresCluster({ url, sessionUrl, log, ...cluster });
}

/**
 * Notifies the nodes on behalf of a process that is none of them. After a failure, they find out later by themselves.
 */
export async function tellNodes(config: Config, message: Message): Promise<void> {
  try {
    const cluster = await joinCluster(config, createLog({ level: 'silent', format: 'json' }));
    await cluster.bus.publish(message);
    await cluster.close();
  } catch {
    // The change has been made.
  }
}
