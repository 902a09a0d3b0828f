import type { Kysely } from 'kysely';
import type { OpenDatabase, Schema } from '../../db/schema.ts';
import type { CatalogRows, CatalogStore } from '../catalog-store.ts';
import { SqlFiles } from './files.ts';
import { SqlFolders } from './folders.ts';
import { SqlIntents } from './intents.ts';
import { SqlListings } from './listing.ts';
import { step } from './step.ts';
import { SqlUsages } from './usage.ts';

/** The catalog in a database. */
export function createSqlCatalog({ db }: Pick<OpenDatabase, 'db'>): CatalogStore {
  return {
    ...rowsIn(db),
    listing: new SqlListings(db),
    usage: new SqlUsages(db),
    inOneStep: (work) => step(db, (transaction) => work(rowsIn(transaction))),
  };
}

const rowsIn = (db: Kysely<Schema>): CatalogRows => ({
  files: new SqlFiles(db),
  folders: new SqlFolders(db),
  intents: new SqlIntents(db),
});
