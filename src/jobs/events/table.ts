import { type Kysely, type Selectable, sql } from 'kysely';
import { lockNumber } from '../../db/locks.ts';
import type { JobEventRow, Schema } from '../../db/schema.ts';
import { EVENTS_AT_A_TIME, type JobEvent, type JobEventData, type LaterEvents } from '../events.ts';
import type { Job } from '../job.ts';
import { readRow } from '../job-rows.ts';

/** An event without an id yet. */
export interface NewEvent {
  content: JobEventData;
  key: string;
}

/** Age in ms from which an ended job should have its event. */
const END_WITHOUT_EVENT_MS = 2000;

/** Present time of the database clock as the id of an event, rounded down to whole ms. */
const ID_NOW = sql<number>`(floor(extract(epoch from clock_timestamp()) * 1000)::bigint * 1000)`;

/** Stores the events of jobs in PostgreSQL. */
export class EventTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /**
   * Writes new events. Writers are serialized from before the first id until the commit, so that no id becomes visible
   * after a higher one, where readers of later ids would miss it. The commit does not wait for the disk. After a crash
   * of PostgreSQL the last events are lost; their ids are not reused, because ids follow the time.
   */
  async append(events: readonly NewEvent[]): Promise<void> {
    const keys = events.map(({ key }) => key);
    const types = events.map(({ content }) => content.type);
    const data = events.map(({ content }) => JSON.stringify(content.data));
    const spaces = events.map(({ content }) => content.space ?? '');
    await this.#db.transaction().execute(async (transaction) => {
      await sql`
        select pg_advisory_xact_lock(${lockNumber('job events')}), set_config('synchronous_commit', 'off', true)
      `.execute(transaction);
      // A separate statement: it sees what was written before the lock was released.
      await sql`
        with first as materialized (select greatest(coalesce((select max(id) + 1 from job_event), 0), ${ID_NOW}) as id)
        insert into job_event (id, key, type, data, space)
        select first.id + item.place - 1, item.key, item.type, item.data, item.space
        from first, unnest(${keys}::text[], ${types}::text[], ${data}::text[], ${spaces}::text[])
          with ordinality as item (key, type, data, space, place)
        on conflict (key) do nothing
      `.execute(transaction);
    });
  }

  /** Returns the first events after an id; with an id ahead of the clock, the first of all. */
  async after(id: number): Promise<LaterEvents> {
    // One statement, so that all of it is of one moment. There is a row even when there is no event.
    const { rows } = await sql<Nullable<Selectable<JobEventRow>> & { last: number }>`
      with place as materialized (
        select last.id as last, case when ${id}::bigint > greatest(last.id, ${ID_NOW}) then 0 else ${id}::bigint end as start
        from (select coalesce(max(id), ${ID_NOW} - 1) as id from job_event) as last
      )
      select place.last, later.id, later.type, later.data, later.space
      from place left join lateral (
        select id, type, data, space from job_event where id > place.start order by id limit ${EVENTS_AT_A_TIME + 1}
      ) as later on true
      order by later.id
    `.execute(this.#db);
    const later = rows.flatMap(readEvent);
    const events = later.slice(0, EVENTS_AT_A_TIME);
    return { events, upTo: events.at(-1)?.id ?? rows[0]?.last ?? id, isAll: events.length === later.length };
  }

  /** Returns the id of the last event; without events, one that is below all future ones. */
  async lastId(): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      select coalesce(max(id), ${ID_NOW} - 1) as id from job_event
    `.execute(this.#db);
    return rows[0]?.id ?? 0;
  }

  /** Deletes all but the newest events. */
  async keepNewest(count: number): Promise<void> {
    const newest = this.#db.selectFrom('job_event').select('id').orderBy('id', 'desc').offset(count).limit(1);
    await this.#db.deleteFrom('job_event').where('id', '<=', newest).execute();
  }

  /** Returns jobs that ended some time ago without an event, because the process that ended them died. */
  async endedInSilence(): Promise<Job[]> {
    const rows = await this.#db
      .selectFrom('job')
      .selectAll()
      .where('status', 'in', ['completed', 'error', 'cancelled'])
      .where(
        sql<boolean>`"completedAt"::timestamptz < clock_timestamp() - ${END_WITHOUT_EVENT_MS} * interval '1 millisecond'`,
      )
      // Events of older jobs may have been deleted.
      .where(
        sql<boolean>`"completedAt"::timestamptz > (select to_timestamp((min(id) / 1e6)::double precision) from job_event)`,
      )
      .where(sql<boolean>`not exists (
        select 1 from job_event where key = job.id || ' ' || job.status || ' ' || job."completedAt"
      )`)
      .orderBy('completedAt')
      .limit(EVENTS_AT_A_TIME)
      .execute();
    return rows.map(readRow);
  }
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

function readEvent({ id, type, data, space }: Nullable<Selectable<JobEventRow>>): JobEvent[] {
  if (id === null || data === null) return [];
  return [{ id, type, data: JSON.parse(data), space: space || undefined } as JobEvent];
}
