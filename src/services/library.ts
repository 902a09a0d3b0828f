import { purgeInvalidations } from '../cdn/purged-changes.ts';
import type { Purges } from '../cdn/purges.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Queue } from '../jobs/queue.ts';
import { Library } from '../library/library.ts';
import { createListing } from '../library/listing.ts';
import type { Totals } from '../library/totals.ts';
import type { Log } from '../log.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import type { Changes, Memories } from './changes.ts';
import { openInvalidations } from './invalidations.ts';

export interface LibraryParts {
  originals: Originals;
  variants: VariantStore;
  totals: Totals;
  queue: Queue;
  access: Memories['access'];
  changes: Changes;
  purges: Purges | undefined;
  cluster: Cluster;
  database: OpenDatabase;
  log: Log;
}

/** Changing and listing the originals. From here on, the changes of the other machines take effect on this one. */
export async function openLibrary(config: Config, { queue, access, cluster, database, ...parts }: LibraryParts) {
  const { originals, variants, changes, purges } = parts;
  const { invalidated } = changes;
  const told = purges ? { invalidated: purgeInvalidations(invalidated, purges) } : changes;
  const library = new Library({ ...parts, changes: told, lock: cluster.lock, jobs: queue });
  const listing = createListing(originals.store);
  const invalidations = openInvalidations(config, variants, database);
  await changes.heed({ originals, listing, variants, access, invalidations });
  return { library, listing };
}
