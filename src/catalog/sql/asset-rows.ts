import { type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { AssetRow, DescriptionColumns, WordColumns } from '../../db/catalog-schema.ts';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { parseJson } from '../../json.ts';
import { type MediaKind, mediaTypeOf } from '../../media.ts';
import { baseName, extensionOf, type StoragePath } from '../../path.ts';
import { nameKeyOf } from '../name-key.ts';
import { foldName } from '../path-words.ts';
import type { AssetRecord, FileEntry, KnownFile } from '../records.ts';
import { inChunks } from './step.ts';

const SHOWN_DESCRIPTION = [
  'describedEtag',
  'width',
  'height',
  'duration',
  'frames',
  'hasAlpha',
  'codec',
  'bitrate',
  'takenAt',
  'camera',
  'hasGps',
  'dominantColour',
  'palette',
  'placeholder',
  'perceptualHash',
  'sha256',
  'problem',
] as const satisfies readonly (keyof DescriptionColumns)[];

/** Columns of a description, without those of its queue. */
export const DESCRIPTION = [
  ...SHOWN_DESCRIPTION,
  'labL',
  'labA',
  'labB',
] as const satisfies readonly (keyof DescriptionColumns)[];

export const WORDS = [
  'title',
  'alt',
  'description',
  'fields',
  'focalX',
  'focalY',
  'revision',
] as const satisfies (keyof WordColumns)[];

export const pathIn = (folder: string, name: string) => (folder === '' ? name : `${folder}/${name}`) as StoragePath;

/** Returns the columns of a row that the store determines. */
export function identityOf(entry: FileEntry, folderId: number) {
  const name = baseName(entry.path);
  return {
    folderId,
    name,
    nameKey: nameKeyOf(name),
    folded: foldName(name),
    kind: mediaTypeOf(name).kind,
    extension: extensionOf(name),
    size: entry.size,
    modifiedAt: entry.modifiedAt.getTime(),
    createdAt: entry.createdAt.getTime(),
    etag: entry.etag,
    fileId: entry.fileId ?? null,
  };
}

/** Selects rows with the columns of `KnownFile`. */
export function selectKnown(db: Kysely<Schema>) {
  return db
    .selectFrom('asset')
    .innerJoin('folder', 'folder.id', 'asset.folderId')
    .select(['asset.id', 'asset.name', 'asset.size', 'asset.etag', 'asset.modifiedAt', 'asset.fileId'])
    .select(['asset.revision', 'folder.path as folder']);
}

type KnownRow = Pick<Selectable<AssetRow>, 'id' | 'name' | 'size' | 'etag' | 'modifiedAt' | 'fileId' | 'revision'>;

export function toKnownFile({ folder, name, revision, ...row }: KnownRow & { folder: string }): KnownFile {
  return { ...row, path: pathIn(folder, name), hasWords: revision > 0 };
}

/** Columns of an asset that the API shows. Reading the others would take as long again. */
const READ = [
  'id',
  'name',
  'kind',
  'size',
  'modifiedAt',
  'createdAt',
  'etag',
  'fileId',
  ...SHOWN_DESCRIPTION,
  ...WORDS,
] as const satisfies readonly (keyof AssetRow)[];

/**
 * Selects rows with the columns of `toRecord`, including tags: a separate statement would cost more in overhead than in
 * work.
 */
export function selectAssets(db: Kysely<Schema>) {
  const tag = sql.ref('asset_tag.tag');
  const tags = isPostgres(db) ? sql`cast(json_agg(${tag}) as text)` : sql`json_group_array(${tag})`;
  return db
    .selectFrom('asset')
    .innerJoin('folder', 'folder.id', 'asset.folderId')
    .select(READ.map((column) => `asset.${column}` as const))
    .select('folder.path as folder')
    .select(sql<string | null>`(select ${tags} from asset_tag where asset_tag."assetId" = asset."id")`.as('tags'));
}

/** Reads assets in the order of their ids. Assets deleted meanwhile are left out. */
export async function readAssets(db: Kysely<Schema>, ids: readonly number[]): Promise<AssetRecord[]> {
  const records = new Map<number, AssetRecord>();
  for (const some of inChunks(ids)) {
    const rows = await selectAssets(db)
      .where(isOneOf(db, 'asset.id', some))
      .execute();
    for (const row of rows) records.set(row.id, toRecord(row));
  }
  return ids.flatMap((id) => records.get(id) ?? []);
}

/**
 * Reads the assets that a subquery finds, in an order. Uses one statement: a second one could miss rows that the first
 * has found, and callers take a short page for the last one.
 * @param ids a subquery for ids
 */
export async function readFound(
  db: Kysely<Schema>,
  ids: SelectQueryBuilder<Schema, 'asset', { id: number }> | RawBuilder<number>,
  { keys, direction }: { keys: readonly RawBuilder<unknown>[]; direction: 'asc' | 'desc' },
): Promise<AssetRecord[]> {
  let rows = selectAssets(db).where('asset.id', 'in', ids);
  // SQLite would scan a whole index for the order.
  for (const key of keys) rows = rows.orderBy(isPostgres(db) ? key : withoutIndex(db, key), direction);
  return (await rows.execute()).map(toRecord);
}

/** Prevents a database from using an index for a column or key: it is another expression, of the same value. */
export function withoutIndex<Value>(db: Kysely<Schema>, key: RawBuilder<Value>): RawBuilder<Value> {
  return isPostgres(db) ? sql<Value>`greatest(${key})` : sql<Value>`+${key}`;
}

/** Passes ids as one value, hence one plan: parsing a hundred takes longer than reading their rows. */
export function isOneOf(db: Kysely<Schema>, column: string, ids: readonly number[]): RawBuilder<SqlBool> {
  const value = sql.ref(column);
  if (isPostgres(db)) return sql`${value} = any(cast(${ids} as bigint[]))`;
  return sql`${value} in (select value from json_each(${JSON.stringify(ids)}))`;
}

type ReadRow = Pick<Selectable<AssetRow>, (typeof READ)[number]> & { folder: string; tags: string | null };

export function toRecord(row: ReadRow): AssetRecord {
  const { id, name, size, etag, modifiedAt, createdAt, fileId, revision, title, alt, description } = row;
  const { width, height, duration, frames, codec, bitrate, takenAt, camera } = row;
  const { dominantColour, placeholder, perceptualHash, sha256, problem, focalX, focalY } = row;
  return {
    id,
    name,
    size,
    etag,
    modifiedAt,
    createdAt,
    fileId,
    revision,
    title,
    alt,
    description,
    width,
    height,
    duration,
    frames,
    codec,
    bitrate,
    takenAt,
    camera,
    dominantColour,
    placeholder,
    perceptualHash,
    sha256,
    problem,
    path: pathIn(row.folder, name),
    folder: row.folder as StoragePath,
    kind: row.kind as MediaKind,
    isDescribed: row.describedEtag === etag,
    hasAlpha: toBoolean(row.hasAlpha),
    hasGps: toBoolean(row.hasGps),
    palette: (parseJson(row.palette ?? '[]') as string[] | undefined) ?? [],
    fields: (parseJson(row.fields ?? '{}') as Record<string, unknown> | undefined) ?? {},
    focal: focalX === null || focalY === null ? null : { x: focalX, y: focalY },
    tags: ((parseJson(row.tags ?? '[]') as string[] | undefined) ?? []).sort(),
  };
}

const toBoolean = (value: number | null) => (value === null ? null : value !== 0);

/** Returns the update that voids descriptions: with another etag, they become invalid and due immediately. */
export function voidedUnless(isSame: ReturnType<typeof sql<boolean>>) {
  const stored = (column: string, otherwise: number | null) =>
    sql`case when ${isSame} then ${sql.ref(`asset.${column}`)} else ${sql.lit(otherwise)} end`;
  return Object.fromEntries([
    ...DESCRIPTION.map((column) => [column, stored(column, null)] as const),
    ...(['describeDueAt', 'describeFailures'] as const).map((column) => [column, stored(column, 0)] as const),
  ]) as { [Column in keyof DescriptionColumns]: never };
}
