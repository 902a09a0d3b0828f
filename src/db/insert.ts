import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from './schema.ts';

/**
 * Inserts a row if a condition holds, in one statement, so that two processes cannot both find it true.
 * @returns whether the row was inserted
 */
export async function insertWhere<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  row: Schema[Table],
  condition: RawBuilder<unknown>,
): Promise<boolean> {
  const columns = Object.keys(row).map((name) => sql.ref(name));
  const result = await sql`
    insert into ${sql.table(table)} (${sql.join(columns)})
    select ${sql.join(Object.values(row))} where ${condition}
  `.execute(db);
  return result.numAffectedRows === 1n;
}
