import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';

/** Adds the reason why an original cannot be decoded. Originals without dimensions are described again to find it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { text } = columnTypes(db);
  await db.schema.alterTable('asset').addColumn('problem', text).execute();
  await sql`
    update asset set "describedEtag" = null, "describeDueAt" = 0, "describeFailures" = 0
    where kind in ('image', 'video') and width is null and "describedEtag" is not null
  `.execute(db);
}
