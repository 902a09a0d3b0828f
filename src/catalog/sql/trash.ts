import { type Kysely, type Selectable, sql } from 'kysely';
import type { TrashRow } from '../../db/catalog-schema.ts';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import { LATEST_FIRST, type TrashItem, type TrashPosition, type TrashRows } from '../retained-rows.ts';
import { withoutIndex } from './asset-rows.ts';
import { isBelow } from './in-folder.ts';

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

  async page(
    limit: number,
    after?: TrashPosition,
    folder: StoragePath = ROOT,
    { by, direction } = LATEST_FIRST,
  ): Promise<TrashItem[]> {
    let rows = this.#db.selectFrom('trash').select('id');
    if (folder !== ROOT) rows = rows.where(isBelow(folder));
    if (after) {
      const beyond = direction === 'asc' ? '>' : '<';
      rows = rows.where((is) => is(is.refTuple(by, 'id'), beyond, is.tuple(after.value, after.id)));
    }
    // SQLite would walk the whole trash in the order of its index. The index of paths finds the items of the folder.
    const isSorted = folder !== ROOT && by !== 'path' && !isPostgres(this.#db);
    const column = isSorted ? withoutIndex(this.#db, sql.ref(by)) : sql.ref(by);
    const ids = rows.orderBy(column, direction).orderBy('id', direction).limit(limit);
    const found = this.#db.selectFrom('trash').selectAll().where('id', 'in', ids);
    return (await found.orderBy(by, direction).orderBy('id', direction).execute()).map(toItem);
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
