import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_PURGE_DELAY_MS } from '../../src/cdn/purge-sender.ts';
import { openDatabase } from '../../src/db/open.ts';
import { Outbox } from '../../src/outbox/outbox.ts';
import { outboxContract } from './outbox.ts';

outboxContract('SQLite', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'outbox-'));
  const file = join(folder, 'darkroom.db');
  const one = await openDatabase({ file });
  const two = await openDatabase({ file });
  const options = { maxWaitMs: MAX_PURGE_DELAY_MS, now: () => clock.now };
  return {
    outbox: new Outbox(one.db, options),
    other: new Outbox(two.db, options),
    clock,
    async close() {
      await one.close();
      await two.close();
      await rm(folder, { recursive: true });
    },
  };
});
