import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';

const ROW_BATCH = 500;

/** Adds the indexes that find parts of names, and of listings by creation time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['folder', 'asset'] as const) await removeAccents(db, table);
  const created = db.schema.createIndex('asset_created_idx').on('asset');
  await created.columns(['folderId', 'createdAt', 'nameKey']).execute();
  await (isPostgres(db) ? onPostgres : onSqlite)(db);
}

/** Writes the names for searches again, which had accents. Only names beyond ASCII can have any. */
async function removeAccents(db: Kysely<unknown>, table: 'folder' | 'asset'): Promise<void> {
  const hasOthers = isPostgres(db) ? sql`"folded" ~ '[^ -~]'` : sql`"folded" glob '*[^ -~]*'`;
  for (let last = 0; ; ) {
    const { rows } = await sql<{ id: number; folded: string }>`
      select "id", "folded" from ${sql.table(table)} where "id" > ${last} and ${hasOthers}
      order by "id" limit ${ROW_BATCH}
    `.execute(db);
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
    const changed = rows.flatMap(({ id, folded }) => (fold(folded) === folded ? [] : [{ id, folded: fold(folded) }]));
    for (const { id, folded } of changed)
      await sql`update ${sql.table(table)} set "folded" = ${folded} where "id" = ${id}`.execute(db);
  }
}

const fold = (name: string) =>
  name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()
    .normalize('NFC');

async function onSqlite(db: Kysely<unknown>): Promise<void> {
  // Contentless: the name is in the row. `folded` has no capitals.
  await sql`
    create virtual table asset_names using fts5(
      folded, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )
  `.execute(db);
  await sql`insert into asset_names (rowid, folded) select "id", "folded" from asset where "searchable" = 1`.execute(
    db,
  );
  // Triggers, so that the index follows a version that does not know it too. They fire when a file becomes searchable or
  // gets another name.
  await sql`
    create trigger asset_added_named after insert on asset when new."searchable" = 1
    begin insert into asset_names (rowid, folded) values (new."id", new."folded"); end
  `.execute(db);
  await sql`
    create trigger asset_named after update of "searchable", "folded" on asset
    when new."searchable" = 1 and (old."searchable" = 0 or old."folded" <> new."folded")
    begin
      delete from asset_names where rowid = new."id";
      insert into asset_names (rowid, folded) values (new."id", new."folded");
    end
  `.execute(db);
  await sql`
    create trigger asset_unnamed after delete on asset begin delete from asset_names where rowid = old."id"; end
  `.execute(db);
  // Count names, and find those shorter than a trigram, without reading rows.
  await db.schema.createIndex('asset_folded_idx').on('asset').columns(['folderId', 'folded']).execute();
  await db.schema.createIndex('folder_folded_idx').on('folder').columns(['folded', 'path']).execute();
}

/** A server without the extension, or an account that may not create it, compares all names. */
async function onPostgres(db: Kysely<unknown>): Promise<void> {
  // Counts names, and finds those shorter than a trigram, without reading rows.
  await sql`create index asset_names_idx on asset ("folded") include ("id", "folderId")`.execute(db);
  await sql`
    do $$ begin create extension if not exists pg_trgm;
    exception when others then raise notice 'pg_trgm: %', sqlerrm; end $$
  `.execute(db);
  const found = await sql<{ schema: string }>`
    select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm'
  `.execute(db);
  const schema = found.rows[0]?.schema;
  if (schema === undefined) return;
  for (const table of ['asset', 'folder'])
    await sql`
      create index ${sql.id(`${table}_folded_idx`)} on ${sql.table(table)}
      using gin ("folded" ${sql.id(schema, 'gin_trgm_ops')})
    `.execute(db);
}
