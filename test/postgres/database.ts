import { afterAll, beforeAll, beforeEach, describe, inject } from 'vitest';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { createDatabase } from './create.ts';

/** Defines a group of tests that need PostgreSQL; without it the group is skipped with a reason. */
export function describeOnPostgres(name: string, tests: () => void | Promise<void>): void {
  const postgres = inject('postgres');
  if ('missing' in postgres) describe.skip(`${name} (skipped: ${postgres.missing})`, tests);
  else describe(name, tests);
}

/** Runs tests that know nothing of PostgreSQL on it: every database that they open is a separate one there. */
export function sameTestsOnPostgres(
  name: string,
  tests: () => Promise<unknown>,
  onSqliteOnly: readonly string[] = [],
): void {
  describeOnPostgres(name, async () => {
    beforeEach(({ skip, task }) => {
      if (onSqliteOnly.includes(task.name)) skip('It is about SQLite itself.');
    });
    beforeAll(() => {
      process.env.DARKROOM_TEST_POSTGRES = serverUrl();
    });
    afterAll(() => {
      delete process.env.DARKROOM_TEST_POSTGRES;
    });
    await tests();
  });
}

/** Returns the URL of the server, as in `DATABASE_URL`. */
export function serverUrl(): string {
  const postgres = inject('postgres');
  if ('missing' in postgres) throw new Error(postgres.missing);
  return postgres.url;
}

/** Returns the URL of a new, empty database, as in `DATABASE_URL`. */
export async function newDatabase(): Promise<string> {
  return createDatabase(serverUrl());
}

/** A database, and two connections to it as those of two nodes. */
export interface TwoNodes {
  url: string;
  one: OpenDatabase;
  two: OpenDatabase;
}

/** Opens a new database twice for a group of tests. The result is filled before its first test. */
export function openTwice(options: { poolMax?: number } = {}): TwoNodes {
  const nodes = {} as TwoNodes;
  beforeAll(async () => {
    nodes.url = await newDatabase();
    nodes.one = await openPostgres({ url: nodes.url, ...options });
    nodes.two = await openPostgres({ url: nodes.url, ...options });
  });
  afterAll(async () => {
    await nodes.one.close();
    await nodes.two.close();
  });
  return nodes;
}
