import type { CatalogStore } from './catalog/catalog-store.ts';
import { retainedBytes, SqlUsages } from './catalog/sql/usage.ts';
import { MAX_PURGE_DELAY_MS } from './cdn/purge-sender.ts';
import { Purges } from './cdn/purges.ts';
import type { Cluster } from './cluster/cluster.ts';
import { Invalidations } from './cluster/invalidations.ts';
import type { Config } from './config.ts';
import { createInvalidationLog } from './db/invalidation-log.ts';
import type { OpenDatabase } from './db/schema.ts';
import { INSTALLATION } from './installation.ts';
import type { Log } from './log.ts';
import type { OpenedStorage } from './open-storage.ts';
import { Outbox } from './outbox/outbox.ts';
import { ROOT, type StoragePath } from './path.ts';
import { createStoredCount, FetchBudget } from './pull/fetch-budget.ts';
import { createPullThrough } from './pull/pull-through.ts';
import type { Quotas } from './spaces/quotas.ts';
import type { SpaceRegistry } from './spaces/registry.ts';
import { UsageMeter } from './usage/usage-meter.ts';

/** The parts that are passed to functions below. */
interface Parts {
  database: OpenDatabase;
  cluster: Cluster;
  catalog: CatalogStore;
  storage: OpenedStorage;
  spaces: SpaceRegistry;
  quotas: Quotas;
  temp: string;
  log: Log;
}

/** Creates the counters of usage. */
export function openUsage(
  { usage: { flushMs } }: Config,
  { database, cluster, spaces, log }: Pick<Parts, 'database' | 'cluster' | 'spaces' | 'log'>,
): UsageMeter {
  const usage = new SqlUsages(database.reader);
  const readStored = async (id: string) => {
    const folder = id === INSTALLATION ? ROOT : spaces.find(id)?.folder;
    if (folder === undefined) return undefined;
    return (await usage.total(folder)).size + (await retainedBytes(database.reader, folder));
  };
  const spaceOf = (path: StoragePath) => spaces.containing(path)?.id ?? '';
  return new UsageMeter({
    database,
    cluster,
    log,
    flushMs,
    readStored,
    spaces: () => spaces.list().map(({ id }) => id),
    spaceOf,
  });
}

/** Creates the purges of the CDN; undefined when the settings name none. */
export function openPurges(
  { purges: settings }: Config,
  { database, cluster, log }: Pick<Parts, 'database' | 'cluster' | 'log'>,
) {
  if (!settings) return undefined;
  const outbox = new Outbox(database.db, { maxWaitMs: MAX_PURGE_DELAY_MS });
  return new Purges({ settings, outbox, bus: cluster.bus, log });
}

/** Fetches originals from external sources, within a budget; both are undefined without such sources. */
export function openPull(
  { pull }: Config,
  parts: Pick<Parts, 'database' | 'catalog' | 'cluster' | 'storage' | 'spaces' | 'quotas' | 'temp' | 'log'>,
) {
  const { database, catalog, cluster, storage, spaces, quotas, temp, log } = parts;
  const folders = pull.origins.map(({ folder }) => folder);
  const countStored = createStoredCount(folders, {
    isIndexed: () => storage.sync.progress()?.state === 'ready',
    sizeOf: async (folder) => (await catalog.usage.total(folder)).size,
  });
  const budget = new FetchBudget({ db: database.db, maxBytes: pull.maxBytes, countStored });
  const { originals } = storage;
  const fetchMissing = createPullThrough({
    ...pull,
    budget,
    originals,
    rulesOf: (path) => spaces.containing(path)?.rules ?? {},
    // A file of unknown size fits if there is room for a byte.
    requireQuota: (path, bytes) => quotas.assertFitsAt(path, Math.max(1, bytes)),
    lock: cluster.lock,
    temp,
    log,
  });
  return { fetchMissing, fetchBudget: fetchMissing && budget };
}

/** Creates the invalidations that this node has to follow; undefined without other nodes. */
export function openInvalidations({ data }: Config, { database, storage }: Pick<Parts, 'database' | 'storage'>) {
  if (database.dialect === 'sqlite') return undefined;
  const { variants } = storage;
  return new Invalidations({ log: createInvalidationLog(database.db), seenFile: data.invalidated, variants });
}
