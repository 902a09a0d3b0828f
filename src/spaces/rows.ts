import type { Kysely, Selectable } from 'kysely';
import type { Schema, SpaceRow } from '../db/schema.ts';
import type { StoragePath } from '../path.ts';
import type { Space } from './space.ts';

/** Returns all spaces, by id. */
export async function readSpaces(db: Kysely<Schema>): Promise<Space[]> {
  return (await db.selectFrom('space').selectAll().orderBy('id').execute()).map(toSpace);
}

/** Inserts a space, or replaces the one with its id. */
export async function writeSpace(db: Kysely<Schema>, space: Space): Promise<void> {
  const { id, ...columns } = toRow(space);
  const row = db.insertInto('space').values({ id, ...columns });
  await row.onConflict((conflict) => conflict.column('id').doUpdateSet(columns)).execute();
}

function toRow({ id, name, folder, isEnabled, secret, previousSecret, ...space }: Space): SpaceRow {
  return {
    id,
    name,
    folder,
    enabled: Number(isEnabled),
    hosts: JSON.stringify(space.hosts),
    rules: JSON.stringify(space.rules),
    secret: secret ?? '',
    previousSecret: previousSecret?.secret ?? null,
    previousUntil: previousSecret ? new Date(previousSecret.until).toISOString() : null,
    createdAt: space.createdAt ?? new Date().toISOString(),
  };
}

/** Rules were validated when they were stored. */
function toSpace(row: Selectable<SpaceRow>): Space {
  const { previousSecret, previousUntil } = row;
  return {
    id: row.id,
    name: row.name,
    folder: row.folder as StoragePath,
    isEnabled: row.enabled !== 0,
    hosts: JSON.parse(row.hosts),
    rules: JSON.parse(row.rules),
    secret: row.secret || undefined,
    previousSecret:
      previousSecret !== null && previousUntil !== null
        ? { secret: previousSecret, until: Date.parse(previousUntil) }
        : undefined,
    createdAt: row.createdAt,
  };
}
