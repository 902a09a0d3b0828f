import type { Kysely } from 'kysely';

/** Lists the trash by size without reading all of it. By path there is an index already. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex('trash_size_idx').on('trash').columns(['size', 'id']).execute();
}
