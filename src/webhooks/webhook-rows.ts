import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import { clockOf, type TimeIn } from '../db/clock.ts';
import { insertWhere } from '../db/insert.ts';
import { inTransaction } from '../db/locks.ts';
import type { Schema, WebhookRow } from '../db/schema.ts';
import type { StoragePath } from '../path.ts';
import { newSecret } from './signature.ts';
import type { EventType, Webhook, WebhookFields, WebhookPatch } from './webhook.ts';

/** Time for which the previous secret still signs after a rotation, in ms. */
const ROTATION_MS = 24 * 3_600_000;

/** Stores webhooks in a database. */
export class WebhookRows {
  readonly #db: Kysely<Schema>;
  readonly #time: TimeIn;

  /** @param now Unix ms, instead of the clock of the database */
  constructor(db: Kysely<Schema>, now?: () => number) {
    this.#db = db;
    this.#time = clockOf(db, now);
  }

  /** Returns undefined when there are `max` already. */
  async add(fields: WebhookFields, max: number): Promise<{ webhook: Webhook; secret: string } | undefined> {
    const id = randomUUID();
    const secret = newSecret();
    const isAdded = await inTransaction(this.#db, async (transaction) => {
      const row = {
        id,
        secret,
        ...columnsOf(fields),
        disabledReason: null,
        previousSecret: null,
        previousUntil: null,
        failingSince: null,
        createdAt: new Date().toISOString(),
      };
      const hasCapacity = sql<SqlBool>`(select count(*) from ${sql.table('webhook')}) < ${max}`;
      const isInserted = await insertWhere(transaction, 'webhook', row as WebhookRow, hasCapacity);
      if (isInserted)
        await transaction.updateTable('webhook').set({ createdAt: this.#time() }).where('id', '=', id).execute();
      return isInserted;
    });
    const webhook = isAdded ? await this.find(id) : undefined;
    return webhook && { webhook, secret };
  }

  /** Lists the oldest first. */
  async list(db: Kysely<Schema> = this.#db): Promise<Webhook[]> {
    const rows = await db.selectFrom('webhook').selectAll().orderBy('createdAt').orderBy('id').execute();
    return rows.map(readRow);
  }

  async find(id: string): Promise<Webhook | undefined> {
    const row = await this.#db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst();
    return row && readRow(row);
  }

  /** Updates a webhook. Enabling one resets its failures. */
  async update(id: string, fields: WebhookPatch): Promise<Webhook | undefined> {
    const isToggled = fields.enabled !== undefined;
    const values = { ...columnsOf(fields), ...(isToggled && { disabledReason: null, failingSince: null }) };
    const updated = this.#db.updateTable('webhook').set(values).where('id', '=', id);
    const row = await updated.returningAll().executeTakeFirst();
    return row && readRow(row);
  }

  /** Removes a webhook and all its deliveries. */
  remove(id: string): Promise<boolean> {
    return inTransaction(this.#db, async (transaction) => {
      const { numDeletedRows } = await transaction.deleteFrom('webhook').where('id', '=', id).executeTakeFirstOrThrow();
      await transaction.deleteFrom('outbox').where('target', '=', id).execute();
      return numDeletedRows > 0n;
    });
  }

  /** Generates a new secret. @returns it, and until when the previous one signs too */
  async rotateSecret(id: string): Promise<{ secret: string; previousUntil: Date } | undefined> {
    const secret = newSecret();
    const row = await this.#db
      .updateTable('webhook')
      .set((eb) => ({ previousSecret: eb.ref('secret'), previousUntil: this.#time(ROTATION_MS), secret }))
      .where('id', '=', id)
      .returning('previousUntil')
      .executeTakeFirst();
    return row && { secret, previousUntil: new Date(row.previousUntil ?? 0) };
  }

  /** Returns the current URL and signing secrets; undefined for a deleted webhook. */
  async address(id: string): Promise<{ url: string; secrets: string[] } | undefined> {
    const row = await this.#db
      .selectFrom('webhook')
      .select(['url', 'secret', 'previousSecret', 'previousUntil', this.#time().as('now')])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return undefined;
    const isRotating = row.previousSecret !== null && (row.previousUntil ?? '') > row.now;
    return { url: row.url, secrets: isRotating ? [row.secret, row.previousSecret as string] : [row.secret] };
  }

  /** @returns true if it was enabled */
  async disable(id: string, disabledReason: string): Promise<boolean> {
    const enabled = this.#db.updateTable('webhook').set({ enabled: 0, disabledReason });
    const { numUpdatedRows } = await enabled.where('id', '=', id).where('enabled', '=', 1).executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  async noteReceived(id: string): Promise<void> {
    const failing = this.#db.updateTable('webhook').set({ failingSince: null }).where('id', '=', id);
    await failing.where('failingSince', 'is not', null).execute();
  }

  /** @returns the time without a received delivery, in ms */
  async noteFailed(id: string): Promise<number> {
    const since = this.#db.updateTable('webhook').where('id', '=', id);
    await since.set({ failingSince: this.#time() }).where('failingSince', 'is', null).execute();
    const times = this.#db.selectFrom('webhook').select(['failingSince', this.#time().as('now')]);
    const row = await times.where('id', '=', id).executeTakeFirst();
    return row?.failingSince ? Math.max(0, Date.parse(row.now) - Date.parse(row.failingSince)) : 0;
  }
}

function columnsOf({ url, events, folder, enabled }: WebhookPatch) {
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: JSON.stringify([...new Set(events)]) }),
    ...(folder !== undefined && { folder: folder as string }),
    ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
  };
}

function readRow(row: Selectable<WebhookRow>): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as EventType[],
    folder: row.folder as StoragePath,
    enabled: Number(row.enabled) === 1,
    disabledReason: row.disabledReason ?? undefined,
    failingSince: row.failingSince === null ? undefined : new Date(row.failingSince),
    createdAt: new Date(row.createdAt),
  };
}
