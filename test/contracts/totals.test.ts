import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { fetchBudgetContract } from './fetch-budget.ts';
import { usageCounterContract } from './usage-counter.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'totals-'));
});
afterAll(() => rm(folder, { recursive: true }));

for (const contract of [usageCounterContract, fetchBudgetContract]) {
  contract('SQLite', () => openDatabase({ file: join(folder, 'darkroom.db') }));
}
