import { type Kysely, type Selectable, sql } from 'kysely';
import type { RedirectRow } from '../../db/catalog-schema.ts';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import { baseName, parentOf, ROOT, type StoragePath, withFoldersAbove } from '../../path.ts';
import { hiddenFolder, hiddenId } from '../hidden.ts';
import { nameKeyOf } from '../name-key.ts';
import {
  destinationOf,
  type ListedRedirect,
  type MayLead,
  type NewRedirect,
  type Redirect,
  type RedirectFilter,
  type Redirects,
} from '../redirects.ts';
import { isBelow, within } from './in-folder.ts';
import { step } from './step.ts';

/** Stores redirects in a database. */
export class SqlRedirects implements Redirects {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async find(path: StoragePath): Promise<Redirect | undefined> {
    const rows = this.#db.selectFrom('redirect').selectAll().where('from', 'in', withFoldersAbove(path));
    const found = (await rows.execute()).filter((row) => row.from === path || row.isFolder !== 0);
    const nearest = found.sort((one, other) => other.from.length - one.from.length).slice(0, 1);
    return (await this.#read(nearest))[0];
  }

  async page(
    limit: number,
    after?: StoragePath,
    folder: StoragePath = ROOT,
    { from, to }: RedirectFilter = {},
  ): Promise<ListedRedirect[]> {
    let rows = this.#db.selectFrom('redirect').selectAll().where(isBelow(folder, 'from'));
    if (after !== undefined) rows = rows.where('from', '>', after);
    if (from !== undefined) rows = rows.where('from', 'in', [...from]);
    if (to !== undefined)
      rows = rows
        .where('to', 'in', [to, ...withFoldersAbove(parentOf(to))])
        .where((is) => is.or([is('to', '=', to), is('isFolder', '=', 1)]));
    const found = await this.#read(await rows.orderBy('from').limit(limit).execute());
    const files = await this.#filesAt(found.map((redirect) => redirect.from));
    return found.map((redirect) => ({
      ...redirect,
      isOverruled: !redirect.isFolder && files.has(redirect.from),
    }));
  }

  async count(folder: StoragePath = ROOT): Promise<number> {
    const rows = this.#db.selectFrom('redirect').where(isBelow(folder, 'from'));
    const { count } = await rows.select((is) => is.fn.countAll().as('count')).executeTakeFirstOrThrow();
    return Number(count);
  }

  async countOutsideSpaces(): Promise<number> {
    // One range of the index for each space: a condition on each redirect would compare all with all.
    const inSpace = sql`select count(*) from redirect as own where own."from" > folder || '/' and own."from" < folder || '0'`;
    const inSpaces = sql`select coalesce(sum((${inSpace})), 0) from space where folder <> ''`;
    const rows = this.#db.selectFrom('redirect').where(isBelow(ROOT, 'from'));
    const outside = sql<number>`cast(count(*) - (${inSpaces}) as bigint)`.as('count');
    return Number((await rows.select(outside).executeTakeFirstOrThrow()).count);
  }

  put(redirect: NewRedirect, isGone: boolean, mayLead: MayLead = () => true): Promise<StoragePath[]> {
    return step(this.#db, async (transaction) => {
      const redirects = new SqlRedirects(transaction);
      const { from, isFolder, createdAt } = redirect;
      const to = redirect.hidden ?? redirect.to;
      await redirects.remove(from);
      if (isGone) await redirects.follow(from, to);
      const row = { to, isFolder: Number(isFolder), createdAt };
      const into = transaction.selectFrom('redirect').selectAll().where('isFolder', '=', 1);
      const around = await into.where('to', 'in', [ROOT, ...withFoldersAbove(parentOf(from))]).execute();
      const others: StoragePath[] = [];
      for (const one of around) {
        const folder = { from: one.from as StoragePath, to: one.to as StoragePath };
        const other = destinationOf({ from: folder.to, to: folder.from }, from);
        if (other === to || !mayLead(folder.from, folder.to)) continue;
        // A nearer redirect may lead that path elsewhere.
        if ((await redirects.find(other))?.from === folder.from) others.push(other);
      }
      const rows = [from, ...others].map((path) => ({ from: path, ...row }));
      const stored = transaction.insertInto('redirect').values(rows);
      const added = await stored
        .onConflict((is) => is.column('from').doNothing())
        .returning('from')
        .execute();
      return added.map((one) => one.from as StoragePath);
    });
  }

  async remove(from: StoragePath): Promise<Redirect | undefined> {
    const rows = this.#db.deleteFrom('redirect').where('from', '=', from).returningAll();
    return (await this.#read(await rows.execute()))[0];
  }

  async areAround(path: StoragePath): Promise<boolean> {
    if (await this.find(path)) return true;
    const below = this.#db.selectFrom('redirect').select('from').where(within(path, 'from')).limit(1);
    return (await below.executeTakeFirst()) !== undefined;
  }

  async follow(from: StoragePath, to: StoragePath): Promise<void> {
    if (from === to) return;
    const moved = sql<string>`${to} || substr("to", length(${from}) + 1)`;
    await this.#db.updateTable('redirect').set({ to: moved }).where(within(from, 'to')).execute();
    await this.#db.deleteFrom('redirect').where(within(to, 'to')).whereRef('from', '=', 'to').execute();
  }

  async removeTo(path: StoragePath): Promise<void> {
    await this.#db.deleteFrom('redirect').where(within(path, 'to')).execute();
  }

  /** Returns those of the paths that have a file. */
  async #filesAt(paths: readonly StoragePath[]): Promise<ReadonlySet<StoragePath>> {
    if (paths.length === 0) return new Set();
    const bytes = sql.raw(isPostgres(this.#db) ? 'bytea' : 'blob');
    const values = paths.map(
      (path) => sql`(${path}, ${parentOf(path)}, cast(${nameKeyOf(baseName(path))} as ${bytes}))`,
    );
    // SQLite has no statistics: in cross joins it begins with the paths.
    const { rows } = await sql<{ path: StoragePath }>`
      with wanted ("path", "folder", "nameKey") as (values ${sql.join(values)})
      select wanted."path" from wanted
      cross join folder
      cross join asset
      where folder."path" = wanted."folder" and asset."folderId" = folder."id" and asset."nameKey" = wanted."nameKey"
    `.execute(this.#db);
    return new Set(rows.map(({ path }) => path));
  }

  /** Reads rows, with the previous paths of targets in the trash. */
  async #read(rows: readonly Selectable<RedirectRow>[]): Promise<Redirect[]> {
    const ids = new Set(rows.flatMap(({ to }) => hiddenId(to as StoragePath) ?? []));
    const items = this.#db
      .selectFrom('trash')
      .select(['id', 'path'])
      .where('id', 'in', [...ids]);
    const paths = new Map((ids.size > 0 ? await items.execute() : []).map(({ id, path }) => [id, path]));
    return rows.map((row) => {
      const id = hiddenId(row.to as StoragePath);
      const to = id === undefined ? row.to : originalOf(row.to, id, paths.get(id));
      const hidden = id === undefined ? {} : { hidden: row.to };
      return { ...row, to, isFolder: row.isFolder !== 0, isTrashed: id !== undefined, ...hidden };
    }) as Redirect[];
  }
}

/** Returns the previous path of something in the trash. @param item that of the trashed file or folder */
function originalOf(hidden: string, id: string, item = ''): string {
  const names = hidden.slice(hiddenFolder(id).length + 1).split('/');
  return [item === '' ? names[0] : item, ...names.slice(1)].join('/');
}
