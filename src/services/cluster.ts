import type { Cluster } from '../cluster/cluster.ts';
import { createLocalCluster } from '../cluster/local.ts';
import type { Message } from '../cluster/messages.ts';
import type { Config } from '../config.ts';
import { createLog, type Log } from '../log.ts';

/** The other machines of the installation: there are some where the database is one that machines can share. */
export async function joinCluster({ database, cluster }: Config, log: Log): Promise<Cluster> {
  const { url, sessionUrl } = database;
  if (url === undefined) return createLocalCluster();
  const { joinPostgresCluster } = await import('../cluster/postgres.ts');
  return joinPostgresCluster({ url, sessionUrl, log, ...cluster });
}

/**
 * Tells the machines something on behalf of a process that is none of them. Where that fails, they find out later by
 * themselves.
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
