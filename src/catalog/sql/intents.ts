import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { AssetChangeRow } from '../../db/catalog-schema.ts';
import type { Schema } from '../../db/schema.ts';
import type { StoragePath } from '../../path.ts';
import { IntentClaimed, type IntentOfNode, type Intents } from '../catalog-store.ts';
import type { Intent, IntentKind } from '../records.ts';
import { placesOf, preparedQuery } from './prepared-query.ts';

const COLUMNS = ['id', 'node', 'kind', 'from', 'to', 'createdAt'] as const satisfies (keyof AssetChangeRow)[];
const BEGIN = preparedQuery<Selectable<AssetChangeRow>>((db, placeholder) =>
  db.insertInto('asset_change').values(placesOf(COLUMNS, placeholder)).compile(),
);
const FINISH = preparedQuery<IntentOfNode>((db, placeholder) =>
  db.deleteFrom('asset_change').where('id', '=', placeholder('id')).where('node', '=', placeholder('node')).compile(),
);

/** Stores intents in a database. */
export class SqlIntents implements Intents {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async begin(intent: Omit<Intent, 'id' | 'createdAt'>): Promise<string> {
    const id = randomUUID();
    await BEGIN(this.#db, { ...intent, id, createdAt: Date.now() });
    return id;
  }

  async finish({ id, node }: IntentOfNode): Promise<void> {
    const { numAffectedRows } = await FINISH(this.#db, { id, node });
    if (numAffectedRows !== 1n) throw new IntentClaimed();
  }

  async confirm({ id, node }: IntentOfNode): Promise<void> {
    const present = await this.find(id);
    if (present?.node !== node) throw new IntentClaimed();
  }

  async claim(intent: IntentOfNode, node: string): Promise<boolean> {
    const rows = this.#db.updateTable('asset_change').set({ node });
    const { numUpdatedRows } = await rows
      .where('id', '=', intent.id)
      .where('node', '=', intent.node)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async find(id: string): Promise<Intent | undefined> {
    const row = await this.#db.selectFrom('asset_change').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toIntent(row);
  }

  async list(kinds?: readonly IntentKind[]): Promise<Intent[]> {
    if (kinds?.length === 0) return [];
    const rows = this.#db.selectFrom('asset_change').selectAll().orderBy('createdAt').orderBy('id');
    return (await (kinds ? rows.where('kind', 'in', kinds) : rows).execute()).map(toIntent);
  }
}

const toIntent = (row: Selectable<AssetChangeRow>): Intent => ({
  ...row,
  kind: row.kind as IntentKind,
  from: row.from as StoragePath,
  to: row.to as StoragePath | null,
});
