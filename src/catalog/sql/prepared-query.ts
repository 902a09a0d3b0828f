import type { CompiledQuery, Kysely, QueryResult } from 'kysely';
import { isPostgres } from '../../db/dialect.ts';
import type { Schema } from '../../db/schema.ts';

/** A placeholder for a value that is bound later. */
class Place {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/** Returns the placeholder of a value. */
export type Placeholder<Values> = <Name extends keyof Values>(name: Name) => Values[Name];

/**
 * Compiles a query that runs for every upload, inside or outside a transaction, once for each kind of database:
 * building it takes several times as long as SQLite needs to run it.
 * @returns a function that runs it with other values
 */
export function preparedQuery<Values extends object, Row = unknown>(
  build: (db: Kysely<Schema>, placeholder: Placeholder<Values>) => CompiledQuery<Row>,
): (db: Kysely<Schema>, values: Values) => Promise<QueryResult<Row>> {
  const cached = new Map<boolean, CompiledQuery<Row>>();
  return (db, values) => {
    const dialect = isPostgres(db);
    const query = cached.get(dialect) ?? build(db, (name) => new Place(name) as never);
    cached.set(dialect, query);
    const known = values as Readonly<Record<PropertyKey, unknown>>;
    const parameters = query.parameters.map((value) => (value instanceof Place ? known[value.name] : value));
    return db.executeQuery({ ...query, parameters });
  };
}

/** Returns the placeholders for the values of a row. */
export function placesOf<Values extends object>(
  columns: readonly (keyof Values)[],
  placeholder: Placeholder<Values>,
): Values {
  return Object.fromEntries(columns.map((name) => [name, placeholder(name)])) as Values;
}
