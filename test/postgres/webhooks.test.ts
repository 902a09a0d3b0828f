import { sql } from 'kysely';
import { Outbox } from '../../src/outbox/outbox.ts';
import { MAX_DELIVERY_DELAY_MS } from '../../src/webhooks/schedule.ts';
import { WebhookRows } from '../../src/webhooks/webhook-rows.ts';
import { webhookRowsContract } from '../contracts/webhook-rows.ts';
import { describeOnPostgres, openTwice } from './database.ts';

describeOnPostgres('webhooks on PostgreSQL', () => {
  const nodes = openTwice({ poolMax: 10 });

  webhookRowsContract('PostgreSQL', async (clock) => {
    await sql`truncate webhook, outbox restart identity`.execute(nodes.one.db);
    const now = () => clock.now;
    return {
      webhooks: new WebhookRows(nodes.one.db, now),
      deliveries: new Outbox(nodes.one.db, { maxWaitMs: MAX_DELIVERY_DELAY_MS, now }),
      others: new Outbox(nodes.two.db, { maxWaitMs: MAX_DELIVERY_DELAY_MS, now }),
      clock,
      close: async () => undefined,
    };
  });
});
