import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/open.ts';
import { SqlJobStore } from '../../src/jobs/sql-job-store.ts';
import { jobStoreContract } from './job-store.ts';

jobStoreContract('SQLite', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'jobs-'));
  const file = join(folder, 'darkroom.db');
  const one = await openDatabase({ file });
  const two = await openDatabase({ file });
  return {
    store: new SqlJobStore(one.db, () => clock.now),
    other: new SqlJobStore(two.db, () => clock.now),
    clock,
    async close() {
      await one.close();
      await two.close();
      await rm(folder, { recursive: true });
    },
  };
});
