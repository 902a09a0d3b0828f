import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPreviousDatabase } from '../../test/previous-database.ts';
import { nameKeyOf } from '../catalog/name-key.ts';
import { up as addProblems } from './migrations/010-problems.ts';
import { MERGED_INTO_INITIAL, MIGRATIONS } from './migrations.ts';
import { openDatabase } from './open.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-upgrade-'));
  file = join(folder, 'darkroom.db');
});
afterEach(() => rm(folder, { recursive: true }));

const addSetting = (db: Kysely<unknown>) => sql`insert into setting (name, value) values ('a', 'b')`.execute(db);

describe('a database that recorded the merged migrations', () => {
  test.each([
    ['all of them have run', MERGED_INTO_INITIAL],
    ['a start ended while it replaced their records', [...MERGED_INTO_INITIAL, '001-initial']],
  ])('opens with its rows when %s', async (_, recorded) => {
    const previous = await createPreviousDatabase(file, recorded, addSetting);
    for (let start = 0; start < 2; start++) {
      const { db, close } = await openDatabase(previous);
      const rows = db.selectFrom('setting').select('value').where('name', '=', 'a');
      expect(await rows.execute()).toEqual([{ value: 'b' }]);
      const recorded = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
      expect(recorded.rows.map(({ name }) => name)).toEqual(Object.keys(MIGRATIONS));
      await close();
    }
  });

  test.each(['auto', 'off'] as const)(
    'is refused when only some have run (DATABASE_MIGRATE=%s), and says what to do',
    async (migrate) => {
      const previous = await createPreviousDatabase(file, MERGED_INTO_INITIAL.slice(0, 9));
      const opening = openDatabase({ ...previous, migrate });
      await expect(opening).rejects.toThrow(
        /end at 009-catalog, too old for this version: start the version that ends at 014-sign-in-clients on it once/,
      );
    },
  );

  test('is refused when a newer version has changed its tables since', async () => {
    const previous = await createPreviousDatabase(file, [...MERGED_INTO_INITIAL, '999-future']);
    await expect(openDatabase(previous)).rejects.toThrow('a newer version has changed its tables (999-future)');
  });
});

test('originals that could not be decoded are described again, to tell why', async () => {
  const { db, close } = await openDatabase(await createPreviousDatabase(file));
  const identity = { extension: 'x', size: 1, modifiedAt: 0, createdAt: 0, etag: 'one', searchable: 1 };
  const described = { describedEtag: 'one', codec: 'known', width: 1, dominantColour: '#ffffff' };
  const rows = [
    { name: 'a.jpg', kind: 'image' },
    { name: 'b.jpg', kind: 'image', codec: null },
    { name: 'c.mp4', kind: 'video' },
    { name: 'd.mp4', kind: 'video', dominantColour: null },
    { name: 'e.mp3', kind: 'audio', width: null, dominantColour: null },
    { name: 'f.mp3', kind: 'audio', width: null, dominantColour: null, codec: null },
    { name: 'g.pdf', kind: 'document', width: null, dominantColour: null, codec: null },
  ];
  const { id: folderId } = await db.selectFrom('folder').select('id').where('path', '=', '').executeTakeFirstOrThrow();
  for (const row of rows)
    await db
      .insertInto('asset')
      .values({ ...identity, folderId, nameKey: nameKeyOf(row.name), folded: row.name, ...described, ...row })
      .execute();
  await db.schema.dropIndex('asset_problem_idx').execute();
  await db.schema.alterTable('asset').dropColumn('problem').execute();
  await addProblems(db as Kysely<unknown>);
  const waiting = db.selectFrom('asset').select('name').where('describedEtag', 'is', null).orderBy('name');
  expect((await waiting.execute()).map(({ name }) => name)).toEqual(['b.jpg', 'd.mp4', 'f.mp3']);
  await close();
});
