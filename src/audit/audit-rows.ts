import type { Insertable, Kysely, Selectable } from 'kysely';
import type { Within } from '../db/locks.ts';
import type { AuditRow, Schema } from '../db/schema.ts';
import { INSTALLATION } from '../installation.ts';
import { byCodeUnits } from '../runtime/in-pieces.ts';
import type { AuditAction, AuditDetail, AuditEntry, AuditEvent, StoredEntry } from './audit-entry.ts';

/** A position in the log; newer entries come first. */
export interface AuditPosition {
  at: string;
  id: number;
}

export interface AuditQuery {
  /** Entries of one space, or of the installation for an empty id; undefined for all of them. */
  space: string | undefined;
  /** Any of these; undefined for all. */
  actions?: readonly AuditAction[] | undefined;
  actor?: string | undefined;
  target?: string | undefined;
  /** Inclusive. */
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
  /** Only older entries. */
  after?: AuditPosition | undefined;
  limit: number;
}

/** PostgreSQL allows 65,535 values in a statement, SQLite 32,766; a row has eleven. */
const ROWS_PER_STATEMENT = 500;

const MAX_TARGET = 4096;
const MAX_TEXT = 500;
const MAX_LIST = 100;

/** Appends entries, in their order. */
export async function insertEntries(db: Kysely<Schema>, entries: readonly AuditEntry[]): Promise<void> {
  for (let begin = 0; begin < entries.length; begin += ROWS_PER_STATEMENT) {
    const rows = entries.slice(begin, begin + ROWS_PER_STATEMENT).map(rowOf);
    await db.insertInto('audit').values(rows).execute();
  }
}

/** Creates the write of an entry about a change by the service itself, or by a command of the operator. */
export function auditSystem<Result>(name: string, eventOf: (result: Result) => AuditEvent): Within<Result> {
  const actor = { type: 'system', id: null, name } as const;
  const origin = { space: INSTALLATION, actor, address: null, requestId: null };
  return (transaction, result) => insertEntries(transaction, [{ at: new Date(), ...origin, ...eventOf(result) }]);
}

/**
 * Reads a page, the newest first. A family of actions is one query per action, each of which reads an index in order:
 * one query for all would sort every entry of the family.
 */
export async function selectEntries(db: Kysely<Schema>, query: AuditQuery): Promise<StoredEntry[]> {
  const { actions, limit } = query;
  if (!actions) return (await selectRows(db, query, undefined)).map(entryOf);
  const found = await Promise.all(actions.map((action) => selectRows(db, query, action)));
  const rows = found.flat();
  if (actions.length > 1) rows.sort((a, b) => byCodeUnits(b.at, a.at) || Number(b.id) - Number(a.id));
  return rows.slice(0, limit).map(entryOf);
}

/**
 * Deletes entries from before a time.
 * @returns the number of deleted entries, at most `limit`
 */
export async function deleteEntries(db: Kysely<Schema>, before: Date, limit: number): Promise<number> {
  const old = db.selectFrom('audit').select('id').where('at', '<', before.toISOString()).orderBy('at').limit(limit);
  const { numDeletedRows } = await db.deleteFrom('audit').where('id', 'in', old).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function selectRows(db: Kysely<Schema>, query: AuditQuery, action: AuditAction | undefined) {
  const { space, actor, target, from, to, after, limit } = query;
  let rows = db.selectFrom('audit').selectAll();
  if (space !== undefined) rows = rows.where('space', '=', space);
  if (action !== undefined) rows = rows.where('action', '=', action);
  if (actor !== undefined) rows = rows.where('actorId', '=', actor);
  if (target !== undefined) rows = rows.where('target', '=', target);
  if (from !== undefined) rows = rows.where('at', '>=', from.toISOString());
  if (to !== undefined) rows = rows.where('at', '<', to.toISOString());
  if (after !== undefined) rows = rows.where((eb) => eb(eb.refTuple('at', 'id'), '<', eb.tuple(after.at, after.id)));
  return rows.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

function rowOf({ at, space, actor, action, target, detail, address, requestId }: AuditEntry): Insertable<AuditRow> {
  return {
    at: at.toISOString(),
    space,
    actorType: actor.type,
    actorId: actor.id,
    actorName: actor.name === null ? null : storable(actor.name, MAX_TEXT),
    action,
    target: target === undefined || target === null ? null : storable(target, MAX_TARGET),
    detail: JSON.stringify(boundedDetail(detail)),
    address,
    requestId,
  };
}

function entryOf(row: Selectable<AuditRow>): StoredEntry {
  return {
    id: Number(row.id),
    at: new Date(row.at),
    space: row.space,
    actor: { type: row.actorType, id: row.actorId, name: row.actorName },
    action: row.action as AuditAction,
    target: row.target,
    detail: JSON.parse(row.detail),
    address: row.address,
    requestId: row.requestId,
  };
}

/** Bounds the size of an entry: names and lists come from clients. */
export function boundedDetail(detail: AuditDetail = {}): Record<string, unknown> {
  const facts = Object.entries(detail).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    facts.map(([name, value]) => {
      if (typeof value === 'string') return [name, storable(value, MAX_TEXT)];
      if (Array.isArray(value)) return [name, value.slice(0, MAX_LIST).map((text) => storable(String(text), MAX_TEXT))];
      return [name, value];
    }),
  );
}

/** PostgreSQL stores no NUL and no half of a surrogate pair. */
function storable(text: string, maxLength: number): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return short.replaceAll('\0', '\u{fffd}').toWellFormed();
}
