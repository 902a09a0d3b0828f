import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/open.ts';
import { Outbox } from '../../src/outbox/outbox.ts';
import { MAX_DELIVERY_DELAY_MS } from '../../src/webhooks/schedule.ts';
import { WebhookRows } from '../../src/webhooks/webhook-rows.ts';
import { webhookRowsContract } from './webhook-rows.ts';

webhookRowsContract('SQLite', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
  const file = join(folder, 'darkroom.db');
  const one = await openDatabase({ file });
  const two = await openDatabase({ file });
  const now = () => clock.now;
  return {
    webhooks: new WebhookRows(one.db, now),
    deliveries: new Outbox(one.db, { maxWaitMs: MAX_DELIVERY_DELAY_MS, now }),
    others: new Outbox(two.db, { maxWaitMs: MAX_DELIVERY_DELAY_MS, now }),
    clock,
    async close() {
      await one.close();
      await two.close();
      await rm(folder, { recursive: true });
    },
  };
});
