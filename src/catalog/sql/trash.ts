import type { Kysely, Selectable } from 'kysely';
import type { TrashRow } from '../../db/catalog-schema.ts';
import type { Schema } from '../../db/schema.ts';
import type { StoragePath } from '../../path.ts';
import type { TrashItem, TrashPosition, TrashRows } from '../retained-rows.ts';

/** Stores the trash in a database. */
export class SqlTrash implements TrashRows {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async put({ id, ...item }: TrashItem): Promise<void> {
    const row = this.#db.insertInto('trash').values({ id, ...item });
    await row.onConflict((conflict) => conflict.column('id').doUpdateSet(item)).execute();
  }

  async find(id: string): Promise<TrashItem | undefined> {
    const row = await this.#db.selectFrom('trash').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toItem(row);
  }

  async latestOf(path: StoragePath): Promise<TrashItem | undefined> {
    const rows = this.#db.selectFrom('trash').selectAll().where('path', '=', path);
    const row = await rows.orderBy('deletedAt', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
    return row && toItem(row);
  }

  async page(limit: number, after?: TrashPosition): Promise<TrashItem[]> {
    let rows = this.#db.selectFrom('trash').selectAll();
    if (after) rows = rows.where((is) => is(is.refTuple('deletedAt', 'id'), '<', is.tuple(after.deletedAt, after.id)));
    const found = await rows.orderBy('deletedAt', 'desc').orderBy('id', 'desc').limit(limit).execute();
    return found.map(toItem);
  }

  async expired(now: number, limit: number): Promise<TrashItem[]> {
    const rows = this.#db.selectFrom('trash').selectAll().where('expiresAt', '<=', now);
    return (await rows.orderBy('expiresAt').limit(limit).execute()).map(toItem);
  }

  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('trash').where('id', '=', id).execute();
  }
}

const toItem = (row: Selectable<TrashRow>): TrashItem => ({
  ...row,
  path: row.path as StoragePath,
  kind: row.kind as TrashItem['kind'],
});
