import { MAX_PURGE_DELAY_MS } from '../cdn/purge-sender.ts';
import { Purges } from '../cdn/purges.ts';
import type { Bus } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { Outbox } from '../outbox/outbox.ts';

/** Creates the purges of the CDN; undefined when the settings name none. */
export function openPurges({ purges: settings }: Config, { db }: OpenDatabase, bus: Bus, log: Log): Purges | undefined {
  if (!settings) return undefined;
  return new Purges({ settings, outbox: new Outbox(db, { maxWaitMs: MAX_PURGE_DELAY_MS }), bus, log });
}
