import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { parsePath } from '../../src/path.ts';
import { createMemoryStore } from '../memory-store.ts';
import { openCatalog } from './rig.ts';

test('a stored file is indexed for search in the background, also when its process ended before that', async () => {
  const database = await openDatabase({ file: ':memory:' });
  const store = createMemoryStore({ temp: 'unused' });
  const waiting = async () => {
    const rows = database.db.selectFrom('asset').select('name').where('searchable', '=', 0);
    return (await rows.execute()).map(({ name }) => name);
  };
  const first = openCatalog({ database }, store);
  await first.start();
  await first.changes().write(parsePath('a.jpg'), Readable.from(['a']));
  expect(await waiting()).toEqual(['a.jpg']);
  await expect.poll(waiting).toEqual([]);
  await first.changes().write(parsePath('b.jpg'), Readable.from(['b']));
  await first.close();
  expect(await waiting()).toEqual(['b.jpg']);
  const second = openCatalog({ database }, store);
  await second.start();
  await second.settled();
  expect(await waiting()).toEqual([]);
  await second.close();
  await database.close();
});
