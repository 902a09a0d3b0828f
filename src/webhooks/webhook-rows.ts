import { randomUUID } from 'node:crypto';
import { type Insertable, type Kysely, type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import { clockOf, type TimeIn } from '../db/clock.ts';
import { insertWhere } from '../db/insert.ts';
import { inTransaction, type Within } from '../db/locks.ts';
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

  /**
   * Returns undefined when the space, or the installation, has `max` already.
   * @param space empty for the installation
   * @param within called in the transaction of the change, as in the other methods
   */
  async add(
    fields: WebhookFields,
    max: number,
    space = '',
    within?: Within<Webhook>,
  ): Promise<{ webhook: Webhook; secret: string } | undefined> {
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
        space,
      };
      const hasCapacity = sql<SqlBool>`(select count(*) from ${sql.table('webhook')} where space = ${space}) < ${max}`;
      const isInserted = await insertWhere(transaction, 'webhook', row as Insertable<WebhookRow>, hasCapacity);
      if (!isInserted) return false;
      await transaction.updateTable('webhook').set({ createdAt: this.#time() }).where('id', '=', id).execute();
      await callWithin(transaction, id, within);
      return true;
    });
    const webhook = isAdded ? await this.find(id, space) : undefined;
    return webhook && { webhook, secret };
  }

  /** Lists those of all spaces and of the installation, the oldest first. */
  async list(db: Kysely<Schema> = this.#db): Promise<Webhook[]> {
    return (await select(db).execute()).map(readRow);
  }

  /** Lists those of a space, or with an empty name of the installation, the oldest first. */
  async listOf(space: string): Promise<Webhook[]> {
    return (await select(this.#db).where('webhook.space', '=', space).execute()).map(readRow);
  }

  /** @param space the one that it has to be of; empty for the installation */
  async find(id: string, space = ''): Promise<Webhook | undefined> {
    const one = select(this.#db).where('webhook.id', '=', id).where('webhook.space', '=', space);
    const row = await one.executeTakeFirst();
    return row && readRow(row);
  }

  /** Updates a webhook. Enabling one resets its failures. */
  update(id: string, fields: WebhookPatch, space = '', within?: Within<Webhook>): Promise<Webhook | undefined> {
    const isToggled = fields.enabled !== undefined;
    const values = { ...columnsOf(fields), ...(isToggled && { disabledReason: null, failingSince: null }) };
    return inTransaction(this.#db, async (transaction) => {
      const found = transaction.updateTable('webhook').set(values).where('id', '=', id).where('space', '=', space);
      const { numUpdatedRows } = await found.executeTakeFirstOrThrow();
      return numUpdatedRows > 0n ? callWithin(transaction, id, within) : undefined;
    });
  }

  /** Removes a webhook and all its deliveries. */
  remove(id: string, within?: Within<Webhook>): Promise<boolean> {
    return inTransaction(this.#db, async (transaction) => {
      const webhook = await callWithin(transaction, id, within);
      await transaction.deleteFrom('webhook').where('id', '=', id).execute();
      await transaction.deleteFrom('outbox').where('target', '=', id).execute();
      return webhook !== undefined;
    });
  }

  /** Removes the webhooks of a space and all their deliveries, in the transaction that deletes the space. */
  async removeOf(transaction: Transaction<Schema>, space: string): Promise<void> {
    const own = transaction.selectFrom('webhook').select('id').where('space', '=', space);
    await transaction.deleteFrom('outbox').where('target', 'in', own).execute();
    await transaction.deleteFrom('webhook').where('space', '=', space).execute();
  }

  /** Generates a new secret. @returns it, and until when the previous one signs too */
  async rotateSecret(
    id: string,
    within?: Within<Webhook>,
  ): Promise<{ secret: string; previousUntil: Date } | undefined> {
    const secret = newSecret();
    const row = await inTransaction(this.#db, async (transaction) => {
      const rotated = await transaction
        .updateTable('webhook')
        .set((eb) => ({ previousSecret: eb.ref('secret'), previousUntil: this.#time(ROTATION_MS), secret }))
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (rotated) await callWithin(transaction, id, within);
      return rotated;
    });
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

/** Calls `within` with a webhook as it is in the transaction. Returns the webhook. */
async function callWithin(
  transaction: Transaction<Schema>,
  id: string,
  within: Within<Webhook> | undefined,
): Promise<Webhook | undefined> {
  const row = await select(transaction).where('webhook.id', '=', id).executeTakeFirst();
  const webhook = row && readRow(row);
  if (webhook) await within?.(transaction, webhook);
  return webhook;
}

function columnsOf({ url, events, folder, enabled }: WebhookPatch) {
  return {
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: JSON.stringify([...new Set(events)]) }),
    ...(folder !== undefined && { folder: folder as string }),
    ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
  };
}

/** Webhooks of a space that was deleted are left out. */
function select(db: Kysely<Schema>) {
  return db
    .selectFrom('webhook')
    .leftJoin('space', 'space.id', 'webhook.space')
    .selectAll('webhook')
    .select('space.folder as spaceFolder')
    .where((where) => where.or([where('webhook.space', '=', ''), where('space.id', 'is not', null)]))
    .orderBy('webhook.createdAt')
    .orderBy('webhook.id');
}

function readRow(row: Selectable<WebhookRow> & { spaceFolder: string | null }): Webhook {
  const { space, spaceFolder } = row;
  return {
    id: row.id,
    space: spaceFolder === null ? undefined : { id: space, folder: spaceFolder as StoragePath },
    url: row.url,
    events: JSON.parse(row.events) as EventType[],
    folder: row.folder as StoragePath,
    enabled: Number(row.enabled) === 1,
    disabledReason: row.disabledReason ?? undefined,
    failingSince: row.failingSince === null ? undefined : new Date(row.failingSince),
    createdAt: new Date(row.createdAt),
  };
}
