import { CatalogKeeper, type CatalogKeeperOptions } from '../catalog/catalog-keeper.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import { Describing } from '../catalog/describing.ts';
import type { EventSink } from '../catalog/file-events.ts';
import { createSqlCatalog } from '../catalog/sql/catalog.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import type { Log } from '../log.ts';
import { Describer } from '../render/describer.ts';
import type { FrameExtractor } from '../render/frames.ts';
import type { RenderPool } from '../render/pool.ts';
import type { Originals } from '../storage/originals.ts';
import { createFocalPoints } from './focal-points.ts';

/** Creates the rows of the catalog, and the data that delivery reads of them. */
export function openCatalog(database: OpenDatabase, sink: EventSink) {
  const catalog = createSqlCatalog(database, undefined, sink);
  return { catalog, focalPoints: createFocalPoints(catalog.words) };
}

export interface SyncParts {
  database: OpenDatabase;
  catalog: CatalogStore;
  cluster: Pick<Cluster, 'node' | 'isAlive' | 'lock'>;
  /** The originals, without wrappers. */
  store: CatalogKeeperOptions['store'];
  log: Log;
  recoveries?: CatalogKeeperOptions['recoveries'];
}

/** Creates the service that maintains the rows, once it is started. */
export function openCatalogKeeper({ catalog: { scanMs } }: Config, { catalog, ...parts }: SyncParts): CatalogKeeper {
  return new CatalogKeeper({ ...parts, rows: catalog, scanMs });
}

export interface DescribingParts {
  catalog: Pick<CatalogStore, 'descriptions'>;
  originals: Originals;
  pool: RenderPool;
  frames: FrameExtractor;
  temp: string;
  log: Log;
}

/** Creates the background description of originals; undefined where the settings disable it on this node. */
export function openDescribing(
  { catalog: settings, limits, render }: Config,
  { catalog, originals, pool, frames, temp, log }: DescribingParts,
) {
  if (!settings.isDescribing) return undefined;
  const describer = new Describer({ pool, frames, temp, limits });
  // Leaves a slot for clients on the smallest host.
  const atOnce = render.workers > 2 ? 2 : 1;
  const { descriptions } = catalog;
  return new Describing({ descriptions, describer, store: originals.store, log, atOnce });
}
