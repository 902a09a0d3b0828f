import Database from 'better-sqlite3';
import { hashKey } from '../src/auth/api-key.ts';

/** A key in Openinary's database; omitted columns have Openinary's defaults. */
export interface OpeninaryKey {
  name: string;
  /** The key itself; its hash is stored. */
  key: string;
  [column: string]: string | number | null;
}

/** Creates a database of Openinary: the tables of its better-auth, and these keys. */
export async function openinaryDatabase(file: string, keys: readonly OpeninaryKey[]): Promise<void> {
  const sqlite = new Database(file);
  sqlite.exec(`
    create table user (id text primary key, email text not null unique, name text not null);
    create table apiKey (
      id text primary key, name text, start text, prefix text, key text not null, userId text not null references user(id),
      refillInterval integer, refillAmount integer, lastRefillAt integer, enabled integer not null default 1,
      rateLimitEnabled integer not null default 1, rateLimitTimeWindow integer, rateLimitMax integer,
      requestCount integer not null default 0, remaining integer, lastRequest integer, expiresAt integer,
      createdAt integer not null, updatedAt integer not null, permissions text, metadata text
    );
    insert into user values ('ada', 'ada@example.com', 'Ada');
  `);
  for (const [n, { key, ...columns }] of keys.entries()) {
    const row = {
      id: `openinary-${n}`,
      start: key.slice(0, 6),
      key: hashKey(key),
      userId: 'ada',
      rateLimitTimeWindow: 60_000,
      rateLimitMax: 100,
      permissions: '{"api":["read","write"]}',
      createdAt: '2026-01-02T03:04:05.678Z',
      updatedAt: '2026-01-02T03:04:05.678Z',
      ...columns,
    };
    const names = Object.keys(row);
    const values = names.map(() => '?').join(', ');
    sqlite.prepare(`insert into apiKey (${names.join(', ')}) values (${values})`).run(...Object.values(row));
  }
  sqlite.close();
}
