import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { DuplicateGroup, DuplicatePage } from '../catalog-search.ts';
import { readAssets } from './asset-rows.ts';
import { isInShownFolder } from './folders.ts';

/** Limit of files shown per group. */
export const MAX_SHOWN = 100;

/** Finds groups of files with equal bytes, in the order of their hashes. */
export async function findDuplicates(db: Kysely<Schema>, limit: number, after = ''): Promise<DuplicatePage> {
  const found = await db
    .selectFrom('asset')
    .where('sha256', '>', after)
    .where(isInShownFolder())
    .select(['sha256', sql<number>`cast(sum("size") - min("size") as bigint)`.as('wastedBytes')])
    .groupBy('sha256')
    .having(({ fn }) => fn.countAll(), '>', 1)
    .orderBy('sha256')
    .limit(limit + 1)
    .execute();
  const groups: DuplicateGroup[] = [];
  for (const { sha256, wastedBytes } of found.slice(0, limit)) {
    const rows = db.selectFrom('asset').select('id').where('sha256', '=', sha256).where(isInShownFolder());
    const ids = (await rows.orderBy('id').limit(MAX_SHOWN).execute()).map(({ id }) => id);
    groups.push({ assets: await readAssets(db, ids), wastedBytes });
  }
  const last = found.length > limit ? found[limit - 1]?.sha256 : undefined;
  return { groups, next: last ?? undefined };
}
