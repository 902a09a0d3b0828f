import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { fetchBudgetContract } from './fetch-budget.ts';
import { ledgerContract } from './ledgers.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledgers-'));
});
afterAll(() => rm(folder, { recursive: true }));

for (const contract of [ledgerContract, fetchBudgetContract]) {
  contract('SQLite', () => openDatabase({ file: join(folder, 'darkroom.db') }));
}
