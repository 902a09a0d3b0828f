import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/**
 * Creates a new database on a server; both are given by their URL, as in `DATABASE_URL`.
 * @param template the name of the database that it copies; empty without one
 */
export async function createDatabase(server: string, template?: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  await client.end();
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}
