import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/database.ts';
import type { OpenDatabase } from '../db/schema.ts';
import { createUsedCodes, type UsedCodes } from './used-codes.ts';

let folder: string;
let database: OpenDatabase;
let now: number;
let codes: UsedCodes;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-used-codes-'));
  database = await openTestDatabase(join(folder, 'darkroom.db'));
  now = Date.UTC(2026, 0, 1);
  codes = createUsedCodes(database.db, () => now);
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

test('a code is claimed once within its time, and again after it', async () => {
  expect(await codes.claim('ada 123456', 90_000)).toBe(true);
  expect(await codes.claim('ada 123456', 90_000)).toBe(false);
  expect(await codes.claim('eve 123456', 90_000)).toBe(true);
  now += 89_999;
  expect(await codes.claim('ada 123456', 90_000)).toBe(false);
  now += 1;
  expect(await codes.claim('ada 123456', 90_000)).toBe(true);
  expect(await codes.claim('ada 123456', 90_000)).toBe(false);
});

test('one of many concurrent claims succeeds', async () => {
  const claims = await Promise.all(Array.from({ length: 10 }, () => codes.claim('ada 123456', 90_000)));
  expect(claims.filter(Boolean)).toHaveLength(1);
});

test('rows older than the longest time are deleted with the next claim', async () => {
  for (let code = 0; code < 5; code++) await codes.claim(`ada ${code}`, 90_000);
  now += 600_000;
  await codes.claim('ada 9', 90_000);
  expect(await database.db.selectFrom('used_code').selectAll().execute()).toHaveLength(1);
});
