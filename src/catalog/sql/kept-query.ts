import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';

/** Stands in a query for a value that is not known yet. */
class Place {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** Gives what stands for a value in the query. */
export type Given<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

/**
 * Keeps a query that runs for every upload, in a transaction or not: it is built once for each kind of database, which takes several
 * times as long as SQLite needs to run it.
 * @returns what runs it with other values
 */
export function keptQuery<Values extends object, Row = unknown>(
  build: (db: Kysely<Schema>, given: Given<Values>) => CompiledQuery<Row>,
): (db: Kysely<Schema>, values: Values) => Promise<QueryResult<Row>> {
  const kept = new Map<boolean, CompiledQuery<Row>>();
  return (db, values) => {
    const dialect = isPostgres(db);
    const query = kept.get(dialect) ?? build(db, (name) => new Place(name) as never);
    kept.set(dialect, query);
    const known = values as Readonly<Record<PropertyKey, unknown>>;
    const parameters = query.parameters.map((value) => (value instanceof Place ? known[value.name] : value));
    return db.executeQuery({ ...query, parameters });
  };
}

/** What stands for the values of a row in the query. */
export function placesOf<Values extends object>(columns: readonly (keyof Values)[], given: Given<Values>): Values {
  return Object.fromEntries(columns.map((name) => [name, given(name)])) as Values;
}
