import { type Kysely, type RawBuilder, sql } from 'kysely';
import { yieldToEventLoop } from '../../concurrency.ts';
import type { Schema } from '../../db/schema.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import type { DuplicatePage } from '../catalog-search.ts';
import { readAssets } from './asset-rows.ts';
import { MAX_SHOWN } from './duplicates.ts';
import { fromFilesIn } from './in-folder.ts';
import { hasFewFiles } from './usage.ts';

/** Limit of bits in which two hashes may differ. With at most 3, one of their four parts is equal. */
const MAX_BITS = 3;
const PARTS = [1, 5, 9, 13];

/** Limits per page: images compared, in batches, and candidates for each part of each hash. */
const IMAGES_A_PAGE = 4000;
const BATCH = 200;
const MAX_CANDIDATES = 300;

/** An image, the bits of its hash as two numbers, and the hash itself. */
interface Hashed {
  id: number;
  size: number;
  hash: string;
  high: number;
  low: number;
}

/** Images that share a part of their hash with others, by `startOfPart:part`. */
type Candidates = ReadonlyMap<string, readonly Hashed[]>;

/**
 * Finds groups of similar images, in the order of the first of each. An image is the first of a group when no earlier
 * one is similar to it.
 */
export async function findSimilar(
  db: Kysely<Schema>,
  limit: number,
  after = '0',
  folder: StoragePath = ROOT,
): Promise<DuplicatePage> {
  const areFew = folder !== ROOT && (await hasFewFiles(db, folder));
  const files = sql`${fromFilesIn(folder, areFew)} and asset."perceptualHash" is not null`;
  // Each batch reads all files of a small folder.
  const batch = areFew ? IMAGES_A_PAGE : BATCH;
  const groups: Hashed[][] = [];
  let last = Number(after);
  for (let seen = 0; seen < IMAGES_A_PAGE; seen += batch) {
    const images = await readImages(db, files, last, batch);
    const candidates = await readCandidates(db, files, images);
    for (const [at, image] of images.entries()) {
      if (at % BATCH === 0) await yieldToEventLoop();
      last = image.id;
      const group = groupOf(image, candidates);
      if (group.length < 2 || group[0]?.id !== image.id) continue;
      groups.push(group);
      if (groups.length === limit) return toPage(db, groups, String(last));
    }
    if (images.length < batch) return toPage(db, groups, undefined);
  }
  return toPage(db, groups, String(last));
}

/** @param files the query for all images, without its columns */
async function readImages(
  db: Kysely<Schema>,
  files: RawBuilder<unknown>,
  after: number,
  limit: number,
): Promise<Hashed[]> {
  const { rows } = await sql<Pick<Hashed, 'id' | 'size' | 'hash'>>`
    select asset."id", asset."size", asset."perceptualHash" as "hash" ${files} and asset."id" > ${after}
    order by asset."id" limit ${limit}
  `.execute(db);
  return rows.map(withBits);
}

async function readCandidates(
  db: Kysely<Schema>,
  files: RawBuilder<unknown>,
  images: readonly Hashed[],
): Promise<Candidates> {
  const candidates = new Map<string, Hashed[]>();
  if (images.length === 0) return candidates;
  for (const start of PARTS) {
    const part = sql`substr(asset."perceptualHash", ${sql.lit(start)}, 4)`;
    const hashes = [...new Set(images.map(({ hash }) => partOf(hash, start)))];
    const { rows } = await sql<Pick<Hashed, 'id' | 'size' | 'hash'>>`
      select "id", "size", "hash" from (
        select asset."id", asset."size", asset."perceptualHash" as "hash",
          row_number() over (partition by ${part} order by asset."id") as "place"
        ${files} and ${part} in (${sql.join(hashes)})
      ) as found
      where "place" <= ${MAX_CANDIDATES}
    `.execute(db);
    for (const row of rows) {
      const key = keyOf(row.hash, start);
      const others = candidates.get(key);
      if (others) others.push(withBits(row));
      else candidates.set(key, [withBits(row)]);
    }
  }
  return candidates;
}

/** Returns the images similar to `image`, including itself, by id. */
function groupOf(image: Hashed, candidates: Candidates): Hashed[] {
  const found = new Map<number, Hashed>();
  for (const start of PARTS)
    for (const other of candidates.get(keyOf(image.hash, start)) ?? [])
      if (differingBits(image, other) <= MAX_BITS) found.set(other.id, other);
  return [...found.values()].sort((one, other) => one.id - other.id);
}

async function toPage(
  db: Kysely<Schema>,
  groups: readonly Hashed[][],
  next: string | undefined,
): Promise<DuplicatePage> {
  const shown = groups.map((group) => group.slice(0, MAX_SHOWN).map(({ id }) => id));
  const assets = new Map((await readAssets(db, [...new Set(shown.flat())])).map((asset) => [asset.id, asset]));
  const found = groups.map((group, at) => {
    const [, ...others] = group.map(({ size }) => size).sort((one, other) => other - one);
    return {
      assets: (shown[at] ?? []).flatMap((id) => assets.get(id) ?? []),
      wastedBytes: others.reduce((sum, size) => sum + size, 0),
    };
  });
  return { groups: found, next };
}

const partOf = (hash: string, start: number) => hash.slice(start - 1, start + 3);

const keyOf = (hash: string, start: number) => `${start}:${partOf(hash, start)}`;

const withBits = (row: Pick<Hashed, 'id' | 'size' | 'hash'>): Hashed => ({
  ...row,
  high: Number.parseInt(row.hash.slice(0, 8), 16),
  low: Number.parseInt(row.hash.slice(8), 16),
});

const differingBits = (one: Hashed, other: Hashed) => ones(one.high ^ other.high) + ones(one.low ^ other.low);

function ones(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
