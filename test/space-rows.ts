import type { OpenDatabase } from '../src/db/schema.ts';

/** Adds a space without rules. */
export async function addSpace({ db }: Pick<OpenDatabase, 'db'>, id: string, folder: string = id): Promise<void> {
  const fields = { name: id, enabled: 1, hosts: '[]', rules: '{}', secret: 's'.repeat(43) };
  const times = { previousSecret: null, previousUntil: null, createdAt: '2026-01-01T00:00:00.000Z' };
  await db
    .insertInto('space')
    .values({ id, folder, ...fields, ...times })
    .execute();
}
