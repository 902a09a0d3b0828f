import { beforeAll } from 'vitest';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { fetchBudgetContract } from '../contracts/fetch-budget.ts';
import { ledgerContract } from '../contracts/ledgers.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

describeOnPostgres('totals', () => {
  let url: string;
  beforeAll(async () => {
    url = await newDatabase();
  });
  for (const contract of [ledgerContract, fetchBudgetContract]) {
    contract('PostgreSQL', () => openPostgres({ url }));
  }
});
