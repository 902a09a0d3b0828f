import type { Cluster } from '../cluster/cluster.ts';
import { createLocalCluster } from '../cluster/local.ts';
import { joinPostgresCluster } from '../cluster/postgres.ts';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

/** The other machines of the installation: there are some where the database is one that machines can share. */
export async function joinCluster({ database, cluster }: Config, log: Log): Promise<Cluster> {
  const { url, sessionUrl } = database;
  return url === undefined ? createLocalCluster() : joinPostgresCluster({ url, sessionUrl, log, ...cluster });
}
