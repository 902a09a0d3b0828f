import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/open.ts';
import { SqlOutbox } from '../../src/outbox/sql-outbox.ts';
import { outboxContract } from './outbox.ts';

outboxContract('SQLite', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'outbox-'));
  const file = join(folder, 'darkroom.db');
  const [one, two] = [await openDatabase({ file }), await openDatabase({ file })];
  return {
    outbox: new SqlOutbox(one.db, () => clock.now),
    other: new SqlOutbox(two.db, () => clock.now),
    clock,
    async close() {
      await one.close();
      await two.close();
      await rm(folder, { recursive: true });
    },
  };
});
