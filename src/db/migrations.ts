import type { Migration } from 'kysely/migration';
import * as accountsAndKeys from './migrations/001-accounts-and-keys.ts';
import * as settings from './migrations/002-settings.ts';
import * as jobs from './migrations/003-jobs.ts';
import * as storageTotals from './migrations/004-storage-totals.ts';
import * as jobClients from './migrations/005-job-clients.ts';

/**
 * Every migration, by the name under which a database remembers it. They run once each, in the order of their names;
 * one that was released never changes.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-accounts-and-keys': accountsAndKeys,
  '002-settings': settings,
  '003-jobs': jobs,
  '004-storage-totals': storageTotals,
  '005-job-clients': jobClients,
};
