import { expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { UsageMeter } from '../../src/usage/usage-meter.ts';
import { describeOnPostgres, openTwice, sameTestsOnPostgres } from './database.ts';

sameTestsOnPostgres('usage on PostgreSQL', () => import('../../src/usage/usage-meter.test.ts'));

describeOnPostgres('two nodes', () => {
  const nodes = openTwice({ poolMax: 10 });

  test('that write the same rows in any order lose nothing', async () => {
    const log = createLog({ level: 'silent', format: 'json' });
    const meters = [nodes.one, nodes.two].map(
      (database) => new UsageMeter({ database, log, flushMs: 1000, readStored: async () => 0 }),
    );
    const keys = Array.from({ length: 50 }, (_, n) => `k${n}`);
    for (let round = 0; round < 20; round++) {
      for (const [node, meter] of meters.entries()) {
        for (const key of node === 0 ? keys : keys.toReversed()) meter.counter('', key).requests++;
      }
      await Promise.all(meters.map((meter) => meter.flush()));
    }
    const rows = await nodes.one.db.selectFrom('usage_day').select(['key', 'requests']).execute();
    expect(rows).toHaveLength(50);
    expect(new Set(rows.map(({ requests }) => requests))).toEqual(new Set([40]));
  });
});
