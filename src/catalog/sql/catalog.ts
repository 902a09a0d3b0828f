import type { Kysely } from 'kysely';
import { millisecondsOf } from '../../db/clock.ts';
import type { OpenDatabase, Schema } from '../../db/schema.ts';
import type { CatalogRows, CatalogStore } from '../catalog-store.ts';
import { orUnavailable } from '../or-unavailable.ts';
import { SqlDescriptions } from './descriptions.ts';
import { SqlFiles } from './files.ts';
import { SqlFolders } from './folders.ts';
import { SqlIntents } from './intents.ts';
import { followTypes } from './kinds.ts';
import { SqlListings } from './listing.ts';
import { SqlSearches } from './search.ts';
import { writeMissingWords } from './searchable.ts';
import { step } from './step.ts';
import { SqlTags } from './tags.ts';
import { SqlTrash } from './trash.ts';
import { SqlUsages } from './usage.ts';
import { SqlVersions } from './versions.ts';
import { SqlWordings } from './words.ts';

/**
 * The catalog in a database. A call fails with HttpProblem 503 when its tables are broken or away.
 * @param now milliseconds since 1970, instead of the clock of the database
 */
export function createSqlCatalog(
  { db, reader }: Pick<OpenDatabase, 'db' | 'reader'>,
  now?: () => number,
): CatalogStore {
  return orUnavailable({
    ...rowsIn(db),
    listing: new SqlListings(db, reader),
    usage: new SqlUsages(reader),
    words: new SqlWordings(db),
    tags: new SqlTags(db, reader),
    search: new SqlSearches(reader),
    descriptions: new SqlDescriptions(db, millisecondsOf(db, now)),
    inOneStep: (work) => step(db, (transaction) => work(rowsIn(transaction))),
    followTypes: (signal) => followTypes(db, signal),
    makeSearchable: (limit) => step(db, (transaction) => writeMissingWords(transaction, limit)),
  });
}

const rowsIn = (db: Kysely<Schema>): CatalogRows => ({
  files: new SqlFiles(db),
  folders: new SqlFolders(db),
  intents: new SqlIntents(db),
  trash: new SqlTrash(db),
  versions: new SqlVersions(db),
});
