import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../dialect.ts';

/** Columns that a listing shows. */
const SHOWN = ['folderId', 'name', 'kind', 'size', 'modifiedAt', 'etag', 'describedEtag', 'revision'];

/**
 * Creates the triggers that maintain usage and revisions of folders, whichever statement changes the rows. On
 * PostgreSQL they run once for each statement, so that inserting a thousand rows writes one revision.
 */
export async function createTriggers(db: Kysely<unknown>): Promise<void> {
  for (const statement of isPostgres(db) ? onPostgres() : onSqlite()) await sql.raw(statement).execute(db);
}

const columns = (row: string, names: readonly string[]) => names.map((name) => `${row}."${name}"`).join(', ');

function onSqlite(): string[] {
  const add = (row: string) => `
    insert into folder_usage ("folderId", "kind", "size", "fileCount") values (${columns(row, ['folderId', 'kind', 'size'])}, 1)
    on conflict ("folderId", "kind") do update set "size" = "size" + excluded."size", "fileCount" = "fileCount" + 1;`;
  const subtract = (row: string) => `
    update folder_usage set "size" = "size" - ${row}."size", "fileCount" = "fileCount" - 1
    where "folderId" = ${row}."folderId" and "kind" = ${row}."kind";`;
  const touch = (id: string) => `update folder set "revision" = "revision" + 1 where "id" = ${id};`;
  const used = ['folderId', 'kind', 'size'];
  return [
    `create trigger asset_inserted after insert on asset begin ${add('new')} ${touch('new."folderId"')} end`,
    `create trigger asset_deleted after delete on asset begin
      ${subtract('old')} ${touch('old."folderId"')} delete from asset_words where rowid = old."id"; end`,
    `create trigger asset_used after update of "folderId", "kind", "size" on asset
      when (${columns('old', used)}) is not (${columns('new', used)}) begin ${subtract('old')} ${add('new')} end`,
    `create trigger asset_shown after update on asset
      when (${columns('old', SHOWN)}) is not (${columns('new', SHOWN)}) begin ${touch('new."folderId"')} end`,
    `create trigger asset_left after update of "folderId" on asset
      when old."folderId" <> new."folderId" begin ${touch('old."folderId"')} end`,
    `create trigger folder_inserted after insert on folder begin ${touch('new."parentId"')} end`,
    `create trigger folder_deleted after delete on folder begin ${touch('old."parentId"')} end`,
    `create trigger folder_moved after update of "parentId", "nameKey" on folder
      when (old."parentId", old."nameKey") is not (new."parentId", new."nameKey")
      begin ${touch('old."parentId"')} ${touch('new."parentId"')} end`,
  ];
}

function onPostgres(): string[] {
  const routine = (name: string, body: string) =>
    `create function ${name}() returns trigger language plpgsql as $$ begin ${body} return null; end $$`;
  const touch = (ids: string) => `update folder set "revision" = "revision" + 1 where "id" in (${ids});`;
  const use = (rows: string) => `
    insert into folder_usage ("folderId", "kind", "size", "fileCount")
    select "folderId", "kind", sum("size"), sum("fileCount") from (${rows}) as changed group by 1, 2
    having sum("size") <> 0 or sum("fileCount") <> 0 order by 1, 2
    on conflict ("folderId", "kind") do update set "size" = folder_usage."size" + excluded."size",
      "fileCount" = folder_usage."fileCount" + excluded."fileCount";`;
  const added = 'select "folderId", "kind", "size", 1 as "fileCount" from added';
  const gone = 'select "folderId", "kind", -"size" as "size", -1 as "fileCount" from gone';
  const both = 'from added join gone using ("id")';
  const shown = `(${columns('added', SHOWN)}) is distinct from (${columns('gone', SHOWN)})`;
  const after = (event: string, tables: string) => `
    create trigger asset_${event} after ${event} on asset referencing ${tables}
    for each statement execute function asset_${event}()`;
  return [
    routine('asset_insert', `${use(added)} ${touch('select "folderId" from added')}`),
    routine('asset_delete', `${use(gone)} ${touch('select "folderId" from gone')}`),
    routine(
      'asset_update',
      `${use(`${added} union all ${gone}`)}
      ${touch(`select added."folderId" ${both} where ${shown} union select gone."folderId" ${both} where ${shown}`)}`,
    ),
    after('insert', 'new table as added'),
    after('delete', 'old table as gone'),
    after('update', 'new table as added old table as gone'),
    routine('folder_change', touch('select unnest(array[old."parentId", new."parentId"])')),
    'create trigger folder_insert after insert on folder for each row execute function folder_change()',
    'create trigger folder_delete after delete on folder for each row execute function folder_change()',
    `create trigger folder_move after update of "parentId", "nameKey" on folder for each row
      when ((old."parentId", old."nameKey") is distinct from (new."parentId", new."nameKey"))
      execute function folder_change()`,
  ];
}
