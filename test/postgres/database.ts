import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { describe, inject } from 'vitest';

/** A group of tests that need PostgreSQL; without it the group is skipped and says why. */
export function describeOnPostgres(name: string, tests: () => void | Promise<void>): void {
  const postgres = inject('postgres');
  if ('missing' in postgres) describe.skip(`${name} (skipped: ${postgres.missing})`, tests);
  else describe(name, tests);
}

/** The address of a new, empty database, as in `DATABASE_URL`. */
export async function newDatabase(): Promise<string> {
  const postgres = inject('postgres');
  if ('missing' in postgres) throw new Error(postgres.missing);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(postgres.url);
  url.pathname = name;
  return url.href;
}
