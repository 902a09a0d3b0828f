import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { QuestionThread } from '../../runtime/question-thread.ts';
import { openDatabase } from '../open.ts';
import type { OpenDatabase } from '../schema.ts';
import { MAX_PAGES } from './checkpoints.ts';

const PAGE_BYTES = 4096;
/** A page and the header that SQLite writes before it. */
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
  vi.restoreAllMocks();
  await database.close();
  await rm(folder, { recursive: true });
});

const write = (name: string, pages: number) =>
  database.db
    .insertInto('setting')
    .values({ name, value: 'x'.repeat(pages * PAGE_BYTES) })
    .execute();

const sizeOf = async (name: string) => (await stat(name)).size;

/** Waits until a checkpoint has written into the database file, which grows by that. */
async function checkpoint(before: number): Promise<void> {
  await expect.poll(() => sizeOf(file), { timeout: 30_000 }).toBeGreaterThan(before + 500 * PAGE_BYTES);
}

/** In pages. */
const lengthOfLog = async () => (await sizeOf(`${file}-wal`)) / FRAME_BYTES;

test('what was written ahead comes into the database without a write that waits for it', async () => {
  const before = await sizeOf(file);
  for (let n = 0; n < 12; n++) await write(`setting ${n}`, 100);
  await checkpoint(before);
  // So no write can have made it.
  expect(await lengthOfLog()).toBeLessThan(MAX_PAGES);
});

test('what transactions write does too', async () => {
  const before = await sizeOf(file);
  for (let n = 0; n < 12; n++)
    await database.db.transaction().execute(async (transaction) => {
      const value = 'x'.repeat(100 * PAGE_BYTES);
      await transaction
        .insertInto('setting')
        .values({ name: `setting ${n}`, value })
        .execute();
    });
  await checkpoint(before);
  expect(await lengthOfLog()).toBeLessThan(MAX_PAGES);
});

test('without the thread the log has a bound: writes make the checkpoints then', async () => {
  const ask = vi.spyOn(QuestionThread.prototype, 'ask').mockRejectedValue(new Error('no thread'));
  for (let n = 0; n < 100; n++) await write(`setting ${n}`, 100);
  await expect.poll(() => ask.mock.calls).not.toEqual([]);
  expect(await lengthOfLog()).toBeLessThan(MAX_PAGES + 200);
});

test('a database that is closed during a checkpoint has everything', async () => {
  const before = await sizeOf(file);
  for (let n = 0; n < 12; n++) await write(`first ${n}`, 100);
  // Its thread has started now.
  await checkpoint(before);
  for (let n = 0; n < 12; n++) await write(`second ${n}`, 100);
  await database.close();
  database = await openDatabase({ file });
  const names = database.db.selectFrom('setting').select('name').where('name', 'like', '% %');
  expect(await names.execute()).toHaveLength(24);
});

test('a file that has come in the place of the database stays as it is', async () => {
  const ask = vi.spyOn(QuestionThread.prototype, 'ask');
  await rename(file, `${file}.away`);
  await writeFile(file, 'another file');
  for (let n = 0; n < 12; n++) await write(`setting ${n}`, 100);
  // The file is checked before each checkpoint.
  await expect.poll(() => database.file.state).toBe('replaced');
  expect(ask).not.toHaveBeenCalled();
  expect(await readFile(file, 'utf8')).toBe('another file');
});
