import type { Migration } from 'kysely/migration';
import * as accountsAndKeys from './migrations/001-accounts-and-keys.ts';
import * as settings from './migrations/002-settings.ts';
import * as jobs from './migrations/003-jobs.ts';
import * as storageTotals from './migrations/004-storage-totals.ts';
import * as jobClients from './migrations/005-job-clients.ts';
import * as severalMachines from './migrations/006-several-machines.ts';
import * as jobEvents from './migrations/007-job-events.ts';
import * as outbox from './migrations/008-outbox.ts';
import * as catalog from './migrations/009-catalog.ts';
import * as folderDigests from './migrations/010-folder-digests.ts';
import * as downloadTickets from './migrations/011-download-tickets.ts';
import * as versionDimensions from './migrations/012-version-dimensions.ts';
import * as webhooks from './migrations/013-webhooks.ts';
import * as signInClients from './migrations/014-sign-in-clients.ts';

/**
 * Every migration, by the name under which a database remembers it. They run once each, in the order of their names;
 * one that was released never changes. A release only adds to the tables; what it no longer needs is dropped by the next one, when
 * no node is left that needs it.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-accounts-and-keys': accountsAndKeys,
  '002-settings': settings,
  '003-jobs': jobs,
  '004-storage-totals': storageTotals,
  '005-job-clients': jobClients,
  '006-several-machines': severalMachines,
  '007-job-events': jobEvents,
  '008-outbox': outbox,
  '009-catalog': catalog,
  '010-folder-digests': folderDigests,
  '011-download-tickets': downloadTickets,
  '012-version-dimensions': versionDimensions,
  '013-webhooks': webhooks,
  '014-sign-in-clients': signInClients,
};

/** The newest migration of the oldest version that can work beside a node of this one, on the tables as they are now. */
export const COMPATIBLE_FROM = '006-several-machines';
