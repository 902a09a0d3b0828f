import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { DuplicateGroup, DuplicatePage } from '../catalog-search.ts';
import { readAssets } from './asset-rows.ts';
import { MAX_SHOWN } from './duplicates.ts';
import { isInShownFolder } from './folders.ts';

/** So many bits of two hashes may differ. Then one of their four parts is equal. */
const MAX_BITS = 3;
const PARTS = [1, 5, 9, 13];

/** So many pictures are looked at for one page, some at a time, and so many others for each part of each hash. */
const PICTURES_A_PAGE = 4000;
const AT_ONCE = 200;
const MAX_CANDIDATES = 300;

interface Hashed {
  id: number;
  hash: string;
  size: number;
}

/**
 * Groups of pictures that look the same, in the order of the first of each. A picture is the first of a group when no earlier one looks
 * like it.
 */
export async function findSimilar(db: Kysely<Schema>, limit: number, after = '0'): Promise<DuplicatePage> {
  const groups: DuplicateGroup[] = [];
  let last = Number(after);
  for (let seen = 0; seen < PICTURES_A_PAGE; seen += AT_ONCE) {
    const pictures = await readHashes(db, last);
    for (const picture of pictures) {
      last = picture.id;
      const group = await groupOf(db, picture);
      if (group.length < 2 || group[0]?.id !== picture.id) continue;
      const [, ...others] = group.map(({ size }) => size).sort((one, other) => other - one);
      const assets = await readAssets(
        db,
        group.slice(0, MAX_SHOWN).map(({ id }) => id),
      );
      groups.push({ assets, wastedBytes: others.reduce((sum, size) => sum + size, 0) });
      if (groups.length === limit) return { groups, next: String(last) };
    }
    if (pictures.length < AT_ONCE) return { groups, next: undefined };
  }
  return { groups, next: String(last) };
}

async function readHashes(db: Kysely<Schema>, after: number): Promise<Hashed[]> {
  const rows = db
    .selectFrom('asset')
    .select(['id', 'size', sql<string>`"perceptualHash"`.as('hash')])
    .where('perceptualHash', 'is not', null)
    .where('id', '>', after)
    .where(isInShownFolder());
  return rows.orderBy('id').limit(AT_ONCE).execute();
}

/** Those that look like a picture, itself among them, by their ids. */
async function groupOf(db: Kysely<Schema>, { hash }: Hashed): Promise<Hashed[]> {
  const found = new Map<number, Hashed>();
  for (const start of PARTS) {
    const { rows } = await sql<Hashed>`
      select "id", "size", "perceptualHash" as "hash" from asset
      where "perceptualHash" is not null and substr("perceptualHash", ${sql.lit(start)}, 4) = ${hash.slice(start - 1, start + 3)}
      and ${isInShownFolder()}
      limit ${MAX_CANDIDATES}
    `.execute(db);
    for (const row of rows) if (differingBits(row.hash, hash) <= MAX_BITS) found.set(row.id, row);
  }
  return [...found.values()].sort((one, other) => one.id - other.id);
}

function differingBits(one: string, other: string): number {
  let count = 0;
  for (let at = 0; at < 16; at += 8) {
    let bits = Number.parseInt(one.slice(at, at + 8), 16) ^ Number.parseInt(other.slice(at, at + 8), 16);
    for (; bits !== 0; bits &= bits - 1) count++;
  }
  return count;
}
