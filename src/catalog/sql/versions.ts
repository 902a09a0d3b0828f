import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { ROOT, type StoragePath } from '../../path.ts';
import type { AssetVersion, VersionRows } from '../retained-rows.ts';
import { rowAt } from './files.ts';
import { within } from './in-folder.ts';
import { inChunks } from './step.ts';

/** Stores the versions of originals in a database. */
export class SqlVersions implements VersionRows {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async add(assetId: number, version: Omit<AssetVersion, 'width' | 'height'>): Promise<void> {
    const known = this.#db.selectFrom('asset').where('id', '=', assetId);
    await this.#db
      .insertInto('asset_version')
      .values({ ...version, assetId, width: known.select('width'), height: known.select('height') })
      .execute();
  }

  async exists(id: string, folder: StoragePath = ROOT): Promise<boolean> {
    let rows = this.#db.selectFrom('asset_version').select('asset_version.id').where('asset_version.id', '=', id);
    if (folder !== ROOT)
      rows = rows.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('asset')
            .innerJoin('folder', 'folder.id', 'asset.folderId')
            .whereRef('asset.id', '=', 'asset_version.assetId')
            .where(within(folder, 'folder.path'))
            .select('asset.id'),
        ),
      );
    return (await rows.executeTakeFirst()) !== undefined;
  }

  async of(path: StoragePath): Promise<AssetVersion[]> {
    const rows = this.#db
      .selectFrom('asset_version')
      .select(['id', 'size', 'etag', 'createdAt', 'width', 'height'])
      .where('assetId', 'in', rowAt(this.#db, path).select('asset.id'));
    return rows.orderBy('createdAt', 'desc').orderBy('id', 'desc').execute();
  }

  async within(path: StoragePath): Promise<string[]> {
    const rows = this.#db
      .selectFrom('asset_version')
      .innerJoin('asset', 'asset.id', 'asset_version.assetId')
      .innerJoin('folder', 'folder.id', 'asset.folderId')
      .where((is) =>
        is.or([within(path, 'folder.path'), is('asset.id', 'in', rowAt(this.#db, path).select('asset.id'))]),
      )
      .select('asset_version.id');
    return (await rows.execute()).map(({ id }) => id);
  }

  async due(before: number, limit: number): Promise<string[]> {
    const rows = this.#db
      .selectFrom('asset_version')
      .leftJoin('asset', 'asset.id', 'asset_version.assetId')
      .where((is) => is.or([is('asset_version.createdAt', '<', before), is('asset.id', 'is', null)]))
      .select('asset_version.id');
    return (await rows.limit(limit).execute()).map(({ id }) => id);
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const some of inChunks(ids)) await this.#db.deleteFrom('asset_version').where('id', 'in', some).execute();
  }
}
