import { type Kysely, sql } from 'kysely';
import { inTransaction } from '../db/locks.ts';
import type { Schema } from '../db/schema.ts';
import { byCodeUnits } from '../runtime/in-pieces.ts';
import { COUNTS, type UsageCounts, type UsageEntry } from './usage-counter.ts';

export type UsageGroup = 'day' | 'space' | 'key';

export interface UsageRange {
  /** Empty for the installation with all its spaces. */
  space: string;
  /** First and last day, inclusive. */
  from: string;
  to: string;
}

/** The sums of a day, a space or a key. */
export interface UsageSum extends UsageCounts {
  name: string;
  /** Of days only; null where nobody has recorded them. */
  storedBytes: number | null;
}

/** PostgreSQL allows 65,535 values in a statement, SQLite 32,766; a row has nine. */
const ROWS_PER_STATEMENT = 500;

/** Adds to the rows of days. Nodes that add to one row at the same time add up. */
export function addEntries(db: Kysely<Schema>, entries: readonly UsageEntry[]): Promise<void> {
  // A fixed order prevents deadlocks of nodes.
  const rows = entries.toSorted((a, b) => byCodeUnits(orderOf(a), orderOf(b))).map(rowOf);
  return inTransaction(db, async (transaction) => {
    for (let begin = 0; begin < rows.length; begin += ROWS_PER_STATEMENT) {
      await transaction
        .insertInto('usage_day')
        .values(rows.slice(begin, begin + ROWS_PER_STATEMENT))
        .onConflict((conflict) =>
          conflict
            .columns(['space', 'day', 'key'])
            .doUpdateSet((eb) =>
              Object.fromEntries(
                COUNTS.map((name) => [name, eb(`usage_day.${name}`, '+', eb.ref(`excluded.${name}`))]),
              ),
            ),
        )
        .execute();
    }
  });
}

/** Records the stored bytes of a space on a day, in place of an earlier figure. */
export async function setStored(db: Kysely<Schema>, space: string, day: string, storedBytes: number): Promise<void> {
  await db
    .insertInto('usage_day')
    .values({ space, day, key: '', storedBytes })
    .onConflict((conflict) => conflict.columns(['space', 'day', 'key']).doUpdateSet({ storedBytes }))
    .execute();
}

/** Returns the spaces whose stored bytes of a day are recorded. */
export async function spacesWithStored(db: Kysely<Schema>, day: string): Promise<Set<string>> {
  const rows = db.selectFrom('usage_day').select('space').where('day', '=', day).where('key', '=', '');
  return new Set((await rows.where('storedBytes', 'is not', null).execute()).map(({ space }) => space));
}

/** Sums the rows of some days by a column, in the order of its values. */
export async function sumRows(
  db: Kysely<Schema>,
  by: UsageGroup,
  { space, from, to }: UsageRange,
): Promise<UsageSum[]> {
  const sums = COUNTS.map((name) => sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name));
  // The installation has stored what its spaces have.
  const stored = sql<number | null>`cast(max(case when space = ${space} then "storedBytes" end) as bigint)`;
  const rows = await db
    .selectFrom('usage_day')
    .select([`${by} as name`, ...sums, stored.as('storedBytes')])
    .where('day', '>=', from)
    .where('day', '<=', to)
    .$if(space !== '', (all) => all.where('space', '=', space))
    .groupBy(by)
    .orderBy(by)
    .execute();
  return rows.map((row) => ({ ...row, storedBytes: by === 'day' ? row.storedBytes : null }) as UsageSum);
}

const orderOf = ({ space, day, key }: UsageEntry) => `${space} ${day} ${key}`;

function rowOf({ space, day, key, ...counts }: UsageEntry) {
  const whole = COUNTS.map((name) => [name, Math.round(counts[name])] as const);
  return { space, day, key, storedBytes: null, ...(Object.fromEntries(whole) as Record<keyof UsageCounts, number>) };
}
