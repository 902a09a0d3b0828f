import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** Adds the reason why an original cannot be decoded. Originals that lack what decoding finds are described again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('asset').addColumn('problem', text).execute();
  await sql`
    update asset set "describedEtag" = null, "describeDueAt" = 0, "describeFailures" = 0
    where "describedEtag" is not null
    and ((kind in ('image', 'video', 'audio') and codec is null) or (kind = 'video' and "dominantColour" is null))
  `.execute(db);
}
