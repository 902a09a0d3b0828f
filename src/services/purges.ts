import { Purges } from '../cdn/purges.ts';
import type { Bus } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { SqlOutbox } from '../outbox/sql-outbox.ts';

/** What tells the CDN of changes; undefined when the settings name none. */
export function openPurges({ purges: settings }: Config, { db }: OpenDatabase, bus: Bus, log: Log): Purges | undefined {
  return settings && new Purges({ settings, outbox: new SqlOutbox(db), bus, log });
}
