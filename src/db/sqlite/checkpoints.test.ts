import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { breathe } from '../../concurrency.ts';
import { openDatabase } from '../open.ts';
import type { OpenDatabase } from '../schema.ts';
import { MAX_PAGES_AHEAD } from './checkpoints.ts';

const PAGE_BYTES = 4096;
/** With what SQLite writes of each page before it. */
const FRAME_BYTES = PAGE_BYTES + 24;

let folder: string;
let file: string;
let database: OpenDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-checkpoints-'));
  file = join(folder, 'darkroom.db');
  database = await openDatabase({ file });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const write = (name: string, pages = 1) =>
  database.db
    .insertInto('setting')
    .values({ name, value: 'x'.repeat(pages * PAGE_BYTES) })
    .execute();

const sizeOf = async (name: string) => (await stat(name)).size;

test('what was written ahead comes into the database without a write that waits for it', async () => {
  const before = await sizeOf(file);
  // Far fewer pages than those at which a write would make a checkpoint.
  for (let n = 0; n < 100; n++) await write(`setting ${n}`);
  await expect.poll(() => sizeOf(file), { timeout: 30_000 }).toBeGreaterThan(before + 50 * PAGE_BYTES);
  expect(await sizeOf(`${file}-wal`)).toBeLessThan(1000 * FRAME_BYTES);
});

test('transactions count as writes too', async () => {
  const before = await sizeOf(file);
  for (let n = 0; n < 100; n++)
    await database.db.transaction().execute((transaction) =>
      transaction
        .insertInto('setting')
        .values({ name: `setting ${n}`, value: 'x'.repeat(PAGE_BYTES) })
        .execute(),
    );
  await expect.poll(() => sizeOf(file), { timeout: 30_000 }).toBeGreaterThan(before + 50 * PAGE_BYTES);
});

test('what is written ahead has a bound, however fast it is written', async () => {
  const [writes, pages] = [400, 100];
  for (let n = 0; n < writes; n++) {
    await write(`setting ${n}`, pages);
    await breathe();
  }
  // A write beyond the limit makes the checkpoint, unless the thread is just making one.
  const ahead = (await sizeOf(`${file}-wal`)) / FRAME_BYTES;
  expect(ahead).toBeLessThan(2 * MAX_PAGES_AHEAD);
  expect(ahead).toBeLessThan((writes * pages) / 2);
});

test('a database that is closed meanwhile has everything', async () => {
  for (let n = 0; n < 200; n++) await write(`setting ${n}`);
  await database.close();
  database = await openDatabase({ file });
  const { count } = await database.db
    .selectFrom('setting')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('name', 'like', 'setting %')
    .executeTakeFirstOrThrow();
  expect(count).toBe(200);
});
