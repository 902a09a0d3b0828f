import type { Migration } from 'kysely/migration';
import * as initial from './migrations/001-initial.ts';
import * as apiKeys from './migrations/002-api-keys.ts';
import * as outbox from './migrations/003-outbox.ts';
import * as growth from './migrations/004-growth.ts';
import * as spaces from './migrations/005-spaces.ts';
import * as redirects from './migrations/006-redirects.ts';
import * as search from './migrations/007-search.ts';
import * as trashOrder from './migrations/008-trash-order.ts';
import * as activity from './migrations/009-activity.ts';
import * as problems from './migrations/010-problems.ts';
import * as listOrder from './migrations/011-list-order.ts';

/**
 * All migrations, by the name that a database records. Each runs once, in the order of the names; a released one never
 * changes. A release only adds to the tables; the next one drops what no node needs any more. 002 and 003 are
 * exceptions, declared by `COMPATIBLE_FROM`.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-initial': initial,
  '002-api-keys': apiKeys,
  '003-outbox': outbox,
  '004-growth': growth,
  '005-spaces': spaces,
  '006-redirects': redirects,
  '007-search': search,
  '008-trash-order': trashOrder,
  '009-activity': activity,
  '010-problems': problems,
  '011-list-order': listOrder,
};

/** Added roles. Earlier versions give every session all permissions. */
export const ROLES_MIGRATION = '005-spaces';

/** Latest migration of the oldest version that can run alongside this one on the same tables. */
export const COMPATIBLE_FROM = '003-outbox';

/** Migrations that were merged into `001-initial` before the first release. Together they make the same tables. */
export const MERGED_INTO_INITIAL: readonly string[] = [
  '001-accounts-and-keys',
  '002-settings',
  '003-jobs',
  '004-storage-totals',
  '005-job-clients',
  '006-several-machines',
  '007-job-events',
  '008-outbox',
  '009-catalog',
  '010-folder-digests',
  '011-download-tickets',
  '012-version-dimensions',
  '013-webhooks',
  '014-sign-in-clients',
];
