import type { Bus } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { Changes } from './changes.ts';
import { openPurges } from './purges.ts';
import { openWebhooks } from './webhooks.ts';

/** Receivers of changes: this node and the others, the CDN, and webhooks. */
export function openTold(config: Config, database: OpenDatabase, bus: Bus, log: Log) {
  return {
    changes: new Changes(bus, log),
    purges: openPurges(config, database, bus, log),
    webhooks: openWebhooks(config, database, bus, log),
  };
}
