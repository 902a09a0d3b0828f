import { type Insertable, type Kysely, type RawBuilder, sql } from 'kysely';
import { inTransaction, lockUntilEnd } from './locks.ts';
import type { Schema } from './schema.ts';

/**
 * Inserts a row if a condition holds. The condition cannot hold for two processes: on PostgreSQL one statement would
 * not ensure that, because neither sees uncommitted rows of the other.
 * @returns true if the row was inserted
 */
export async function insertWhere<Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  row: Insertable<Schema[Table]>,
  condition: RawBuilder<unknown>,
): Promise<boolean> {
  const columns = Object.keys(row).map((name) => sql.ref(name));
  return inTransaction(db, async (transaction) => {
    await lockUntilEnd(transaction, `insert ${table}`);
    const result = await sql`
      insert into ${sql.table(table)} (${sql.join(columns)})
      select ${sql.join(Object.values(row))} where ${condition}
    `.execute(transaction);
    return result.numAffectedRows === 1n;
  });
}
