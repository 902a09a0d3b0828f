import { opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CatalogService } from '../catalog/catalog-service.ts';
import { CHANGE_KINDS } from '../catalog/records.ts';
import { createSqlCatalog } from '../catalog/sql/catalog.ts';
import { type Difference, differences } from '../catalog/sync/verify.ts';
import { joinCluster } from '../cluster/join.ts';
import type { Config } from '../config.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { hasCode } from '../errors.ts';
import { findRetentionDifferences, type RetentionDifference, repairRetention } from '../library/retention-check.ts';
import { createLog } from '../log.ts';
import { acceptExtraTypes } from '../media.ts';
import { quote, ROOT } from '../path.ts';
import type { OpenBackend, UnreachableName } from '../storage/backend.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { variantFolder } from '../storage/cache/variant-key.ts';
import { chooseBackend } from '../storage/choose-backend.ts';
import { createTempFolder } from '../storage/temp.ts';

/** Report for people, with a flag for remaining work. */
export interface Report {
  text: string;
  isGood: boolean;
}

/** Limit of differences that are listed individually. */
const MAX_NAMED = 100;

/** Compares the whole storage with the catalog, and describes everything again. Metadata stays. */
export function reindex(config: Config, database: OpenDatabase): Promise<Report> {
  return withCatalog(config, database, async (catalog) => {
    await catalog.rows.descriptions.redescribe();
    await database.db.updateTable('folder').set({ mark: null }).execute();
    await catalog.reconciliation.run();
    await catalog.settled();
    const { fileCount, size } = await catalog.rows.usage.total(ROOT);
    const folders = (await catalog.rows.folders.below(ROOT)).length;
    const text = `The catalog knows ${fileCount} files (${size} bytes) in ${folders} folders. They are described again by the service.`;
    return { text, isGood: true };
  });
}

/** Finds differences between the storage, the retention store, the catalog and the cache of this node. */
export function verify(config: Config, database: OpenDatabase, isRepair: boolean): Promise<Report> {
  return withCatalog(config, database, async (catalog, { store, retention, unreachable }) => {
    const retained = { catalog: catalog.rows, retention };
    if (isRepair) {
      await catalog.reconciliation.run();
      await catalog.settled();
      await repairRetention(retained);
    }
    const lines: string[] = [];
    const counts: Record<Difference['kind'], number> = { missing: 0, gone: 0, changed: 0 };
    for await (const { path, kind } of differences(store, catalog.rows)) {
      counts[kind]++;
      if (lines.length < MAX_NAMED) lines.push(`${kind}: ${quote(path)}`);
    }
    const hidden = await listUnreachable(unreachable?.() ?? []);
    lines.push(...hidden.lines);
    const lost = await findRetentionDifferences(retained);
    lines.push(...lost.slice(0, MAX_NAMED).map(({ id, kind }) => `${kind}: ${id}`));
    const left = (await catalog.rows.intents.list(CHANGE_KINDS)).length;
    const orphans = await countOrphans(config.data.variants, store);
    const isGood = counts.missing + counts.gone + counts.changed + hidden.count + lost.length === 0;
    const summary = [
      `${counts.missing} stored but not in the catalog, ${counts.gone} in the catalog but not stored, ${counts.changed} changed since.`,
      `${hidden.count} stored under names that cannot be served.`,
      retentionSummary(lost),
      `${left} changes are in progress or unfinished.`,
      `${orphans} missing originals still have variants in the cache of this node, which are evicted over time.`,
    ];
    return { text: [...lines, ...summary].join('\n'), isGood };
  });
}

/** Counts stored names that are not served, and lists the first of them. */
async function listUnreachable(names: AsyncIterable<UnreachableName> | Iterable<UnreachableName>) {
  const lines: string[] = [];
  let count = 0;
  for await (const { name, hiddenBy } of names) {
    count++;
    if (lines.length === MAX_NAMED) continue;
    if (hiddenBy === undefined) lines.push(`cannot be served: ${showForm(name)}`);
    else lines.push(`hidden: ${showForm(name)} by ${showForm(hiddenBy)}, which is the same name in Unicode NFC`);
  }
  return { count, lines };
}

/** Quotes a name, with the parts of decomposed characters as escapes: a name looks the same in NFC and NFD. */
function showForm(name: string): string {
  const toNumber = (part: string) => `\\u${part.codePointAt(0)?.toString(16).padStart(4, '0')}`;
  return quote(name).replaceAll(/[\p{M}\u1100-\u11ff]/gu, toNumber);
}

async function withCatalog(
  config: Config,
  database: OpenDatabase,
  work: (catalog: CatalogService, storage: OpenBackend) => Promise<Report>,
): Promise<Report> {
  acceptExtraTypes(config.limits.documents);
  const log = createLog({ level: 'silent', format: 'json' });
  const temp = await createTempFolder(config.data.temp);
  const cluster = await joinCluster(config, log);
  const backend = await chooseBackend(config);
  const storage = await backend.open({ temp, log });
  const { store, close } = storage;
  const rows = createSqlCatalog(database);
  const catalog = new CatalogService({ database, rows, cluster, store, log, scanMs: config.catalog.scanMs });
  try {
    return await work(catalog, storage);
  } finally {
    await catalog.close();
    await close();
    await cluster.close();
    await rm(temp, { recursive: true, force: true });
  }
}

function retentionSummary(lost: readonly RetentionDifference[]): string {
  const rowless = lost.filter(({ kind }) => kind === 'no row').length;
  return `${rowless} retained items without a row, ${lost.length - rowless} versions or items of the trash without bytes.`;
}

/** Returns folders of variants whose original is not stored. */
async function countOrphans(variants: string, store: BlobStore): Promise<number> {
  const known = new Set<string>();
  for await (const { path } of store.walk(ROOT)) known.add(variantFolder(path));
  let orphans = 0;
  for await (const shard of namesIn(variants))
    for await (const name of namesIn(join(variants, shard))) if (!known.has(`${shard}/${name}`)) orphans++;
  return orphans;
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) if (entry.isDirectory()) yield entry.name;
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
