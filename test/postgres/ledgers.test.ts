import { beforeAll } from 'vitest';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { ledgerContract } from '../contracts/ledgers.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

describeOnPostgres('totals', () => {
  let url: string;
  beforeAll(async () => {
    url = await newDatabase();
  });
  ledgerContract('PostgreSQL', () => openPostgres({ url }));
});
