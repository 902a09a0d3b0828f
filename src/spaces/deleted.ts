import type { Kysely, Transaction } from 'kysely';
import { isBelow } from '../catalog/sql/in-folder.ts';
import type { Schema } from '../db/schema.ts';
import { writeSetting } from '../db/setting-rows.ts';
import { conflict } from '../errors.ts';
import { parseJson } from '../json.ts';
import { areOnOneBranch, quote, type StoragePath } from '../path.ts';
import { foldPath, type Space } from './space.ts';

/** Begins the names of the records of deleted spaces, before the id. */
const PREFIX = 'space.deleted:';

interface DeletedSpace {
  folder: StoragePath;
  deletedAt: string;
}

/**
 * Records that a space was deleted. Its id is never used again: tickets, uploads, jobs, usage, the audit log, URLs and
 * caches outside of the service are keyed by it.
 */
export async function noteDeleted(
  transaction: Transaction<Schema>,
  { id, folder }: Pick<Space, 'id' | 'folder'>,
  deletedAt: string,
): Promise<void> {
  await writeSetting(transaction, PREFIX + id, JSON.stringify({ folder, deletedAt } satisfies DeletedSpace));
}

/**
 * Keeps a new space from getting what a deleted one has left.
 * @throws HttpProblem 409 for the id of a deleted space, and for its folder while the trash has files from there
 */
export async function assertNotDeleted(
  db: Kysely<Schema>,
  { id, folder }: Pick<Space, 'id' | 'folder'>,
): Promise<void> {
  const deleted = await readDeleted(db);
  const same = deleted.get(id);
  if (same) {
    const message = `The id ${quote(id)} was that of a space that was deleted at ${same.deletedAt}. Ids are used once: choose another one.`;
    throw conflict(message, 'space_id_used');
  }
  for (const [other, before] of deleted) {
    if (!areOnOneBranch(foldPath(before.folder), foldPath(folder)) || !(await hasTrash(db, folder))) continue;
    const message = `The trash has files from ${quote(folder)}, from before the space ${quote(other)} was deleted. Delete or restore them first, or choose another folder.`;
    throw conflict(message, 'space_conflict');
  }
}

async function readDeleted(db: Kysely<Schema>): Promise<Map<string, DeletedSpace>> {
  const rows = await db.selectFrom('setting').selectAll().where('name', 'like', `${PREFIX}%`).execute();
  return new Map(rows.map(({ name, value }) => [name.slice(PREFIX.length), parseJson(value) as DeletedSpace]));
}

/** True if the trash has files from inside a folder. */
async function hasTrash(db: Kysely<Schema>, folder: StoragePath): Promise<boolean> {
  const items = db.selectFrom('trash').select('id').where(isBelow(folder)).limit(1);
  return (await items.executeTakeFirst()) !== undefined;
}
