import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import type { FocalPoint } from '../../focal-point.ts';
import { parseJson } from '../../json.ts';
import { parentOf, type StoragePath } from '../../path.ts';
import type { Wordings, WordsPatch } from '../catalog-words.ts';
import type { AssetRecord, Words } from '../records.ts';
import { pathIn, readAssets } from './asset-rows.ts';
import { rowAt } from './files.ts';
import { holdFolders, within } from './folders.ts';
import { writeWords } from './searchable.ts';
import { breathe, ROWS_AT_ONCE, step } from './step.ts';

/** Words in a database. */
export class SqlWordings implements Wordings {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  patch(path: StoragePath, patch: WordsPatch, revision?: number): Promise<AssetRecord | 'conflict' | undefined> {
    return step(this.#db, async (transaction) => {
      const found = await rowAt(transaction, path).select(['asset.id', 'asset.folderId']).executeTakeFirst();
      if (!found) return undefined;
      await holdFolders(transaction, [found.folderId]);
      const row = transaction.selectFrom('asset').select('revision').where('id', '=', found.id);
      const held = await row.$if(isPostgres(transaction), (query) => query.forUpdate()).executeTakeFirst();
      if (!held) return undefined;
      if (revision !== undefined && revision !== held.revision) return 'conflict';
      await change(transaction, found.id, patch);
      return (await readAssets(transaction, [found.id]))[0];
    });
  }

  async focalPoint(path: StoragePath): Promise<FocalPoint | undefined> {
    const row = await rowAt(this.#db, path).select(['focalX', 'focalY']).executeTakeFirst();
    return !row || row.focalX === null || row.focalY === null ? undefined : { x: row.focalX, y: row.focalY };
  }

  async keep(trashId: string, path: StoragePath): Promise<void> {
    // What stood there under the same id was kept by an attempt before.
    await this.#db.deleteFrom('trash_words').where('trashId', '=', trashId).execute();
    for (let after = 0; ; await breathe()) {
      const rows = this.#db
        .selectFrom('asset')
        .innerJoin('folder', 'folder.id', 'asset.folderId')
        .select(['asset.id', 'asset.name', 'folder.path as folder'])
        .where('asset.id', '>', after)
        .where('asset.revision', '>', 0)
        .where((eb) => eb.or([within(path, 'folder.path'), isFileAt(path)]))
        .orderBy('asset.id')
        .limit(ROWS_AT_ONCE);
      const found = await rows.execute();
      const ids = found.map(({ id }) => id);
      const kept = (await readAssets(this.#db, ids)).map((asset) => ({
        trashId,
        path: asset.path === path ? '' : asset.path.slice(path === '' ? 0 : path.length + 1),
        words: JSON.stringify(wordsOf(asset)),
      }));
      if (kept.length > 0) await this.#db.insertInto('trash_words').values(kept).execute();
      if (found.length < ROWS_AT_ONCE) return;
      after = ids.at(-1) ?? after;
    }
  }

  async restore(trashId: string, to: StoragePath): Promise<void> {
    for (let after: string | undefined; ; await breathe()) {
      const rows = this.#db.selectFrom('trash_words').selectAll().where('trashId', '=', trashId);
      const next = after === undefined ? rows : rows.where('path', '>', after);
      const some = await next.orderBy('path').limit(ROWS_AT_ONCE).execute();
      for (const { path, words } of some)
        await this.patch(path === '' ? to : pathIn(to, path), (parseJson(words) as Words | undefined) ?? {});
      if (some.length < ROWS_AT_ONCE) return;
      after = some.at(-1)?.path;
    }
  }
}

const isFileAt = (path: StoragePath) =>
  sql<boolean>`(folder."path" = ${parentOf(path)} and asset."name" = ${path.slice(path.lastIndexOf('/') + 1)})`;

const wordsOf = ({ title, alt, description, tags, fields, focal }: Words): Words => ({
  ...{ title, alt, description, tags, fields, focal },
});

async function change(db: Kysely<Schema>, id: number, patch: WordsPatch): Promise<void> {
  const { title, alt, description, fields, focal, tags } = patch;
  if (tags !== undefined) {
    await db.deleteFrom('asset_tag').where('assetId', '=', id).execute();
    const rows = [...new Set(tags)].map((tag) => ({ assetId: id, tag }));
    if (rows.length > 0) await db.insertInto('asset_tag').values(rows).execute();
  }
  await db
    .updateTable('asset')
    .set((eb) => ({
      ...{ title, alt, description },
      ...(fields !== undefined && { fields: JSON.stringify(fields) }),
      ...(focal !== undefined && { focalX: focal?.x ?? null, focalY: focal?.y ?? null }),
      revision: eb('revision', '+', 1),
    }))
    .where('id', '=', id)
    .execute();
  await writeWords(db, [id]);
}
