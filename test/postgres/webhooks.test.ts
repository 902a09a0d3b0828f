import { sql } from 'kysely';
import { afterAll, beforeAll } from 'vitest';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { Outbox } from '../../src/outbox/outbox.ts';
import { MAX_DELIVERY_DELAY_MS } from '../../src/webhooks/schedule.ts';
import { WebhookRows } from '../../src/webhooks/webhook-rows.ts';
import { webhookRowsContract } from '../contracts/webhook-rows.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

describeOnPostgres('webhooks on PostgreSQL', () => {
  let one: OpenDatabase;
  let two: OpenDatabase;
  beforeAll(async () => {
    const url = await newDatabase();
    one = await openPostgres({ url, poolMax: 10 });
    two = await openPostgres({ url, poolMax: 10 });
  });
  afterAll(async () => {
    await one.close();
    await two.close();
  });

  webhookRowsContract('PostgreSQL', async (clock) => {
    await sql`truncate webhook, outbox restart identity`.execute(one.db);
    const now = () => clock.now;
    return {
      webhooks: new WebhookRows(one.db, now),
      deliveries: new Outbox(one.db, { maxWaitMs: MAX_DELIVERY_DELAY_MS, now }),
      others: new Outbox(two.db, { maxWaitMs: MAX_DELIVERY_DELAY_MS, now }),
      clock,
      close: async () => undefined,
    };
  });
});
