import { afterAll, beforeAll, beforeEach, describe, inject } from 'vitest';
import { createDatabase } from './create.ts';

/** A group of tests that need PostgreSQL; without it the group is skipped and says why. */
export function describeOnPostgres(name: string, tests: () => void | Promise<void>): void {
  const postgres = inject('postgres');
  if ('missing' in postgres) describe.skip(`${name} (skipped: ${postgres.missing})`, tests);
  else describe(name, tests);
}

/** Runs tests that know nothing of PostgreSQL on it: every database that they open is one of its own there. */
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

/** The address of the server, as in `DATABASE_URL`. */
export function serverUrl(): string {
  const postgres = inject('postgres');
  if ('missing' in postgres) throw new Error(postgres.missing);
  return postgres.url;
}

/** The address of a new, empty database, as in `DATABASE_URL`. */
export async function newDatabase(): Promise<string> {
  return createDatabase(serverUrl());
}
