import type { CatalogKeeper } from '../catalog/catalog-keeper.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createDeliver, type Delivering } from '../delivery/deliver.ts';
import { createFindOriginal } from '../delivery/find-original.ts';
import { createNotFound } from '../delivery/not-found.ts';
import { createRenderBudget } from '../delivery/render-budget.ts';
import { createPlaylists } from '../delivery/streaming/playlists.ts';
import type { Log } from '../log.ts';
import { isWithin, type StoragePath } from '../path.ts';
import { FetchBudget } from '../pull/fetch-budget.ts';
import { createPullThrough } from '../pull/pull-through.ts';
import type { Originals } from '../storage/originals.ts';

type Given = 'findOriginal' | 'budget' | 'limits' | 'playlists';

/** Creates the handlers of requests for originals and variants. */
export function openDelivery({ limits, http, renderBudget }: Config, parts: Omit<Delivering, Given>) {
  const missing = createNotFound({ rules: limits, namesPresets: http.deliveryMode !== 'signed' });
  const findOriginal = createFindOriginal(limits, missing);
  const budget = createRenderBudget(renderBudget);
  const playlists = createPlaylists({ ...parts, budget, heights: limits.streamHeights });
  const delivering = { ...parts, budget, findOriginal, limits, playlists };
  return { findOriginal, findInputs: parts.findInputs, playlists, budget, deliver: createDeliver(delivering) };
}

export interface PullParts {
  database: OpenDatabase;
  sync: Pick<CatalogKeeper, 'progress' | 'rows'>;
  originals: Originals;
  cluster: Pick<Cluster, 'lock'>;
  temp: string;
  log: Log;
}

/** Fetches originals from external sources, within a budget; both are undefined without such sources. */
export function openPull({ pull }: Config, { database, sync, originals, cluster, temp, log }: PullParts) {
  const folders = outermost(pull.origins.map(({ folder }) => folder));

  async function countStored(): Promise<number | undefined> {
    // Before the first index is complete, files may be missing from the sums.
    if (sync.progress()?.state !== 'ready') return undefined;
    const totals = await Promise.all(folders.map((folder) => sync.rows.usage.total(folder)));
    return totals.reduce((sum, { size }) => sum + size, 0);
  }

  const budget = new FetchBudget({ db: database.db, maxBytes: pull.maxBytes, countStored });
  const fetchMissing = createPullThrough({ ...pull, budget, originals, lock: cluster.lock, temp, log });
  return { fetchMissing, fetchBudget: fetchMissing && budget };
}

/** Returns the folders that lie in no other folder of the list. */
function outermost(folders: readonly StoragePath[]): StoragePath[] {
  return folders.filter((folder) => !folders.some((other) => other !== folder && isWithin(folder, other)));
}
