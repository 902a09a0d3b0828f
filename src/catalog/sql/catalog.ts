import type { Kysely } from 'kysely';
import { millisecondsOf } from '../../db/clock.ts';
import type { OpenDatabase, Schema } from '../../db/schema.ts';
import type { CatalogRows, CatalogStore, Events } from '../catalog-store.ts';
import type { EventSink } from '../file-events.ts';
import { orUnavailable } from '../or-unavailable.ts';
import { SqlDescriptions } from './descriptions.ts';
import { SqlFiles } from './files.ts';
import { SqlFolders } from './folders.ts';
import { SqlIntents } from './intents.ts';
import { followTypes } from './kinds.ts';
import { SqlListings } from './listing.ts';
import { SqlRedirects } from './redirects.ts';
import { SqlSearches } from './search.ts';
import { indexBeforeSearch, writeMissingWords } from './searchable.ts';
import { indexAgain, SpaceTerms } from './space-terms.ts';
import { step } from './step.ts';
import { SqlTags } from './tags.ts';
import { SqlTrash } from './trash.ts';
import { SqlUsages } from './usage.ts';
import { SqlVersions } from './versions.ts';
import { SqlWordings } from './words.ts';

/**
 * Creates the catalog in a database. A call fails with HttpProblem 503 when its tables are broken or unavailable.
 * @param now milliseconds since 1970, instead of the clock of the database
 * @param sink receives the events; by default they are dropped
 */
export function createSqlCatalog(
  { db, reader }: Pick<OpenDatabase, 'db' | 'reader'>,
  now?: () => number,
  sink: EventSink = NO_EVENTS,
): CatalogStore {
  const indexAll = () => indexBeforeSearch(reader, db);
  return orUnavailable({
    ...rowsIn(db, (events) => written(sink, () => sink.write(db, events))),
    listing: new SqlListings(db, reader, indexAll),
    usage: new SqlUsages(reader),
    words: new SqlWordings(db),
    tags: new SqlTags(db, reader),
    search: new SqlSearches(reader, indexAll, new SpaceTerms(db, reader)),
    descriptions: new SqlDescriptions(db, millisecondsOf(db, now)),
    inOneStep: (work) => inOneStep(db, sink, work),
    followTypes: (signal) => followTypes(db, signal),
    indexSpace: (folder) => indexAgain(db, reader, folder),
    makeSearchable: (limit) => step(db, (transaction) => writeMissingWords(transaction, limit)),
  });
}

const NO_EVENTS: EventSink = { write: async () => undefined, written: () => undefined };

async function inOneStep<T>(db: Kysely<Schema>, sink: EventSink, work: (rows: CatalogRows) => Promise<T>): Promise<T> {
  let hasEvents = false;
  const result = await step(db, (transaction) =>
    work(
      rowsIn(transaction, (events) => {
        hasEvents ||= events.length > 0;
        return sink.write(transaction, events);
      }),
    ),
  );
  if (hasEvents) sink.written();
  return result;
}

async function written(sink: EventSink, write: () => Promise<void>): Promise<void> {
  await write();
  sink.written();
}

const rowsIn = (db: Kysely<Schema>, tell: Events['add']): CatalogRows => ({
  files: new SqlFiles(db),
  folders: new SqlFolders(db),
  intents: new SqlIntents(db),
  trash: new SqlTrash(db),
  versions: new SqlVersions(db),
  redirects: new SqlRedirects(db),
  events: { add: tell },
});
