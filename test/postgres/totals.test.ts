import { beforeAll } from 'vitest';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { fetchBudgetContract } from '../contracts/fetch-budget.ts';
import { usageCounterContract } from '../contracts/usage-counter.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

describeOnPostgres('totals', () => {
  let url: string;
  beforeAll(async () => {
    url = await newDatabase();
  });
  for (const contract of [usageCounterContract, fetchBudgetContract]) {
    contract('PostgreSQL', () => openPostgres({ url }));
  }
});
