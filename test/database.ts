import { openDatabase } from '../src/db/open.ts';
import { openPostgres } from '../src/db/postgres/open.ts';
import type { OpenDatabase } from '../src/db/schema.ts';
import { createDatabase } from './postgres/create.ts';

const addresses = new Map<string, Promise<string>>();
let template: Promise<string> | undefined;

/**
 * Opens the database of a test: the file of this name, or on PostgreSQL the database that replaces the file each time
 * it is opened.
 */
export async function openTestDatabase(file: string): Promise<OpenDatabase> {
  const url = await testDatabaseUrl(file);
  return url === undefined ? openDatabase({ file }) : openPostgres({ url });
}

/** Returns the URL of the database that replaces a file; undefined if the tests run on SQLite. */
export async function testDatabaseUrl(file: string): Promise<string | undefined> {
  const server = process.env.DARKROOM_TEST_POSTGRES;
  if (server === undefined) return undefined;
  template ??= createTemplate(server);
  const known = file === ':memory:' ? undefined : addresses.get(file);
  const url = known ?? createDatabase(server, await template);
  addresses.set(file, url);
  return url;
}

/** Creates the template database: copying its tables is faster than migrating each time. */
async function createTemplate(server: string): Promise<string> {
  const url = await createDatabase(server);
  await (await openPostgres({ url })).close();
  return new URL(url).pathname.slice(1);
}
