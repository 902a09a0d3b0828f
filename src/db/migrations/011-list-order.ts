import { type Kysely, sql } from 'kysely';

/**
 * Format of a file: that of its extension, which may have another name; `document` where the extension names none. A
 * query has to repeat the expression of an index, so it imports it.
 */
export const FORMAT = sql<string>`
  case
    when "extension" in ('jpg', 'jpe', 'jfif') then 'jpeg'
    when "extension" = 'tif' then 'tiff'
    when "extension" = 'htm' then 'html'
    when "extension" = 'md' then 'markdown'
    when "extension" = 'txt' then 'text'
    when "extension" = '' or length("extension") > 6 then 'document'
    when trim("extension", 'abcdefghijklmnopqrstuvwxyz0123456789') <> '' then 'document'
    else "extension"
  end
`;

/** Width times height; 0 for files without dimensions. */
export const PIXELS = sql<number>`coalesce("width" * "height", 0)`;

/** Adds the indexes of listings by format and by dimensions, and of files that cannot be decoded. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [name, key] of Object.entries({ format: FORMAT, pixels: PIXELS })) {
    await sql`create index ${sql.id(`asset_${name}_idx`)} on asset ("folderId", (${key}), "nameKey")`.execute(db);
    await sql`create index ${sql.id(`asset_all_${name}_idx`)} on asset ((${key}), "id")`.execute(db);
  }
  await db.schema
    .createIndex('asset_problem_idx')
    .on('asset')
    .column('folderId')
    .where(sql.ref('problem'), 'is not', null)
    .execute();
}
