import type { Kysely } from 'kysely';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';
import type { FocalPoint } from '../../focal-point.ts';
import type { StoragePath } from '../../path.ts';
import type { Wordings, WordsPatch } from '../catalog-words.ts';
import type { AssetRecord } from '../records.ts';
import { readAssets } from './asset-rows.ts';
import { rowAt } from './files.ts';
import { holdFolders } from './folders.ts';
import { writeWords } from './searchable.ts';
import { step } from './step.ts';

/** Stores metadata in a database. */
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
}

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
      title,
      alt,
      description,
      ...(fields !== undefined && { fields: JSON.stringify(fields) }),
      ...(focal !== undefined && { focalX: focal?.x ?? null, focalY: focal?.y ?? null }),
      revision: eb('revision', '+', 1),
    }))
    .where('id', '=', id)
    .execute();
  await writeWords(db, [id]);
}
