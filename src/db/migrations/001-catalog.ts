import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { isPostgres } from '../dialect.ts';
import { createTriggers } from './001-catalog-triggers.ts';

/** Creates the catalog: a row for each folder and each original, with the tables that search and recover them. */
export async function createCatalog(db: Kysely<unknown>): Promise<void> {
  await createFolders(db);
  await createAssets(db);
  await createIndexes(db);
  await createSearch(db);
  await createHistory(db);
  await createTriggers(db);
  await sql`insert into folder ("path", "nameKey", "folded") values ('', ${Buffer.alloc(0)}, '')`.execute(db);
}

/** A table whose ids are never reused. */
function withId(db: Kysely<unknown>, table: string) {
  const isSerial = isPostgres(db);
  return db.schema
    .createTable(table)
    .addColumn('id', isSerial ? 'bigserial' : 'integer', (column) =>
      isSerial ? column.primaryKey() : column.primaryKey().autoIncrement(),
    );
}

async function createFolders(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } = columnTypes(db);
  await withId(db, 'folder')
    .addColumn('path', text, (column) => column.notNull().unique())
    .addColumn('parentId', integer)
    .addColumn('nameKey', bytes, (column) => column.notNull())
    .addColumn('folded', text, (column) => column.notNull())
    .addColumn('mark', text)
    .addColumn('revision', integer, (column) => column.notNull().defaultTo(0))
    .addColumn('digest', text)
    .execute();
  await db.schema.createIndex('folder_parent_idx').on('folder').columns(['parentId', 'nameKey']).execute();
  await db.schema
    .createTable('folder_usage')
    .addColumn('folderId', integer, (column) => column.notNull().references('folder.id').onDelete('cascade'))
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('fileCount', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('folder_usage_pk', ['folderId', 'kind'])
    .execute();
}

async function createAssets(db: Kysely<unknown>): Promise<void> {
  const { text, integer, bytes } = columnTypes(db);
  let table = withId(db, 'asset').addColumn('folderId', integer, (column) => column.notNull().references('folder.id'));
  for (const name of ['name', 'folded', 'kind', 'extension', 'etag'])
    table = table.addColumn(name, text, (column) => column.notNull());
  table = table.addColumn('nameKey', bytes, (column) => column.notNull());
  for (const name of ['size', 'modifiedAt', 'createdAt'])
    table = table.addColumn(name, integer, (column) => column.notNull());
  for (const name of ['searchable', 'describeDueAt', 'describeFailures', 'revision'])
    table = table.addColumn(name, integer, (column) => column.notNull().defaultTo(0));
  for (const name of [
    ...['fileId', 'describedEtag', 'codec', 'camera', 'dominantColour', 'palette', 'placeholder', 'perceptualHash'],
    ...['sha256', 'title', 'alt', 'description', 'fields'],
  ])
    table = table.addColumn(name, text);
  for (const name of ['width', 'height', 'frames', 'hasAlpha', 'bitrate', 'takenAt', 'hasGps'])
    table = table.addColumn(name, integer);
  for (const name of ['duration', 'labL', 'labA', 'labB', 'focalX', 'focalY'])
    table = table.addColumn(name, 'double precision');
  await table.execute();
  await db.schema
    .createTable('asset_tag')
    .addColumn('assetId', integer, (column) => column.notNull().references('asset.id').onDelete('cascade'))
    .addColumn('tag', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('asset_tag_pk', ['assetId', 'tag'])
    .execute();
  await db.schema.createIndex('asset_tag_idx').on('asset_tag').columns(['tag', 'assetId']).execute();
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const onAsset = (name: string) => db.schema.createIndex(`asset_${name}_idx`).on('asset');
  await onAsset('name').unique().columns(['folderId', 'nameKey']).execute();
  await onAsset('size').columns(['folderId', 'size', 'nameKey']).execute();
  await onAsset('modified').columns(['folderId', 'modifiedAt', 'nameKey']).execute();
  for (const column of ['nameKey', 'size', 'modifiedAt', 'createdAt'])
    await onAsset(`all_${column}`).columns([column, 'id']).execute();
  for (const column of ['takenAt', 'fileId', 'sha256'])
    await onAsset(`known_${column}`).columns([column, 'id']).where(sql.ref(column), 'is not', null).execute();
  await onAsset('undescribed').columns(['describeDueAt', 'id']).where(sql.ref('describedEtag'), 'is', null).execute();
  await onAsset('unsearchable').column('id').where(sql.ref('searchable'), '=', sql.lit(0)).execute();
  // Hashes that differ in at most three bits are equal in one of four parts.
  for (const start of [1, 5, 9, 13])
    await onAsset(`hash_${start}`)
      .expression(sql`substr(${sql.ref('perceptualHash')}, ${sql.lit(start)}, 4)`)
      .where(sql.ref('perceptualHash'), 'is not', null)
      .execute();
}

async function createSearch(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  if (isPostgres(db)) {
    await db.schema
      .createTable('asset_words')
      .addColumn('assetId', integer, (column) => column.primaryKey().references('asset.id').onDelete('cascade'))
      .addColumn('words', sql`tsvector`, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('asset_words_idx').on('asset_words').using('gin').column('words').execute();
  } else {
    // Contentless: the index holds the prepared text, which is stored nowhere else.
    await sql`
      create virtual table asset_words using fts5(
        strong, weak, content = '', contentless_delete = 1, detail = column, tokenize = 'ascii'
      )
    `.execute(db);
  }
  await db.schema
    .createTable('word_trigram')
    .addColumn('trigram', text, (column) => column.notNull())
    .addColumn('word', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('word_trigram_pk', ['trigram', 'word'])
    .$call((table) => (isPostgres(db) ? table : table.modifyEnd(sql`without rowid`)))
    .execute();
}

/** Intents of changes in progress, the trash, and earlier versions. */
async function createHistory(db: Kysely<unknown>): Promise<void> {
  const { text, integer } = columnTypes(db);
  const withKey = (name: string) =>
    db.schema.createTable(name).addColumn('id', text, (column) => column.notNull().primaryKey());
  await withKey('asset_change')
    .addColumn('node', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('from', text, (column) => column.notNull())
    .addColumn('to', text)
    .addColumn('createdAt', integer, (column) => column.notNull())
    .execute();
  let trash = withKey('trash');
  for (const name of ['path', 'kind']) trash = trash.addColumn(name, text, (column) => column.notNull());
  for (const name of ['size', 'fileCount', 'deletedAt', 'expiresAt'])
    trash = trash.addColumn(name, integer, (column) => column.notNull());
  await trash.execute();
  await db.schema.createIndex('trash_deleted_idx').on('trash').columns(['deletedAt', 'id']).execute();
  await db.schema.createIndex('trash_expires_idx').on('trash').column('expiresAt').execute();
  await withKey('asset_version')
    .addColumn('assetId', integer, (column) => column.notNull())
    .addColumn('size', integer, (column) => column.notNull())
    .addColumn('createdAt', integer, (column) => column.notNull())
    .addColumn('etag', text, (column) => column.notNull())
    .addColumn('width', integer)
    .addColumn('height', integer)
    .execute();
  await db.schema.createIndex('asset_version_idx').on('asset_version').columns(['assetId', 'createdAt']).execute();
}
