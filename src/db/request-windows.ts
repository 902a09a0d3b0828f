import { type Kysely, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** A statement that removes more delays the others. */
const TIDY_BATCH = 10_000;

/** Number of counted requests of a client. */
export interface ClientCount {
  client: string;
  count: number;
}

/** The count of all nodes for a client in its window. */
export interface ClientWindow extends ClientCount {
  /** Milliseconds until the window ends. */
  leftMs: number;
}

/**
 * Stores the windows of clients that several nodes count together, in PostgreSQL. A window begins with the first count
 * that is added to it, and ends by the clock of the database.
 * @param windowMs length of a window
 */
export function createRequestWindows(db: Kysely<Schema>, windowMs: number) {
  return {
    /**
     * Adds the counts of this node since the last call.
     * @returns the windows of the same clients
     */
    async add(counted: readonly ClientCount[]): Promise<ClientWindow[]> {
      const clients = counted.map(({ client }) => client);
      const counts = counted.map(({ count }) => count);
      // A fixed order prevents deadlocks of nodes.
      const { rows } = await sql<ClientWindow>`
        insert into request_window as held (client, used, ends_at)
        select client, used, clock_timestamp() + ${windowMs} * interval '1 millisecond'
        from unnest(${clients}::text[], ${counts}::bigint[]) as counted (client, used) order by client
        on conflict (client) do update set
          used = excluded.used + case when held.ends_at > clock_timestamp() then held.used else 0 end,
          ends_at = case when held.ends_at > clock_timestamp() then held.ends_at else excluded.ends_at end
        returning client, used as count,
          (extract(epoch from ends_at - clock_timestamp()) * 1000)::double precision as "leftMs"
      `.execute(db);
      return rows;
    },

    /** Removes windows that have ended. Concurrent counts in one of them do not wait. */
    async tidy(): Promise<void> {
      let removed = TIDY_BATCH;
      // Many clients in a short time leave more than one statement removes.
      while (removed === TIDY_BATCH) {
        const { numAffectedRows } = await sql`
          delete from request_window where client in (
            select client from request_window where ends_at < clock_timestamp()
            limit ${TIDY_BATCH} for update skip locked
          )
        `.execute(db);
        removed = Number(numAffectedRows ?? 0);
      }
    },
  };
}
