import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import type { DuplicatePage } from '../catalog-search.ts';
import { readAssets } from './asset-rows.ts';
import { fromFilesIn } from './in-folder.ts';
import { hasFewFiles } from './usage.ts';

/** Limit of files shown per group. */
export const MAX_SHOWN = 100;

/** Finds groups of files with equal bytes, in the order of their hashes. */
export async function findDuplicates(
  db: Kysely<Schema>,
  limit: number,
  after = '',
  folder: StoragePath = ROOT,
): Promise<DuplicatePage> {
  const files = fromFilesIn(folder, folder !== ROOT && (await hasFewFiles(db, folder)));
  const { rows } = await sql<{ sha256: string; wastedBytes: number }>`
    select asset."sha256", cast(sum(asset."size") - min(asset."size") as bigint) as "wastedBytes"
    ${files} and asset."sha256" > ${after}
    group by asset."sha256" having count(*) > 1 order by asset."sha256" limit ${limit + 1}
  `.execute(db);
  const shown = rows.slice(0, limit);
  const hashes = shown.map(({ sha256 }) => sha256);
  const assets = Map.groupBy(await readAssets(db, await readIds(db, files, hashes)), ({ sha256 }) => sha256);
  const groups = shown.map(({ sha256, wastedBytes }) => ({ assets: assets.get(sha256) ?? [], wastedBytes }));
  return { groups, next: rows.length > limit ? shown.at(-1)?.sha256 : undefined };
}

/** Returns the ids of the shown files with these hashes, sorted. */
async function readIds(db: Kysely<Schema>, files: RawBuilder<unknown>, hashes: readonly string[]): Promise<number[]> {
  if (hashes.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    select "id" from (
      select asset."id", row_number() over (partition by asset."sha256" order by asset."id") as "place"
      ${files} and asset."sha256" in (${sql.join(hashes)})
    ) as found
    where "place" <= ${MAX_SHOWN} order by "id"
  `.execute(db);
  return rows.map(({ id }) => id);
}
