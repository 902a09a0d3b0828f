import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { clockOf } from '../db/clock.ts';
import type { Schema } from '../db/schema.ts';

/** Lets a code or a state be used once, on all nodes of a database. */
export interface UsedCodes {
  /**
   * Notes a use.
   * @param name identifies the code, with its owner and purpose; only its hash is stored
   * @param forMs time for which a second use is refused
   * @returns false if it was used within that time
   */
  claim(name: string, forMs: number): Promise<boolean>;
}

/** Longest `forMs`. Older rows are deleted. */
export const LONGEST_CLAIM_MS = 600_000;

/** @param now Unix milliseconds. Default: the clock of the database */
export function createUsedCodes(db: Kysely<Schema>, now?: () => number): UsedCodes {
  const time = clockOf(db, now);
  return {
    async claim(name, forMs) {
      await db.deleteFrom('used_code').where('usedAt', '<=', time(-LONGEST_CLAIM_MS)).execute();
      // One statement decides: of concurrent uses, one gets a row.
      const claimed = await db
        .insertInto('used_code')
        .values({ hash: hash('sha256', name, 'base64url'), usedAt: time() })
        .onConflict((conflict) =>
          conflict.column('hash').doUpdateSet({ usedAt: time() }).where('used_code.usedAt', '<=', time(-forMs)),
        )
        .returning('hash')
        .executeTakeFirst();
      return claimed !== undefined;
    },
  };
}
