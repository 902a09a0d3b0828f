import { expect, it } from 'vitest';
import type { Cluster } from '../../../src/cluster/cluster.ts';
import { describeOnPostgres } from '../database.ts';
import { PostgresServer } from '../server.ts';
import { join } from './nodes.ts';

/** A node on a busy machine takes its time. */
const PATIENCE = { timeout: 30_000 };

describeOnPostgres('the lag of the bus', () => {
  it('is measured in the background, grows while PostgreSQL is stopped or killed, and falls again', async () => {
    const server = await PostgresServer.start();
    const options = { heartbeatMs: 100, answerMs: 1000, lagIntervalMs: 20 };
    const [node] = (await join(server.url(), 1, options)) as [Cluster];
    const lag = () => node.stats().busLagMs;
    try {
      await expect.poll(lag, PATIENCE).toBeGreaterThan(0);
      for (const [stop, goOn] of [
        [() => server.signal('SIGSTOP'), () => server.signal('SIGCONT')],
        [() => server.kill(), () => server.start()],
      ] as const) {
        await stop();
        let highest: number;
        try {
          await expect.poll(() => node.stats().isConnected, PATIENCE).toBe(false);
          const before = lag();
          await expect.poll(lag, PATIENCE).toBeGreaterThan(before);
          highest = lag();
        } finally {
          // A node cannot close while PostgreSQL is suspended.
          await goOn();
        }
        await expect.poll(lag, PATIENCE).toBeLessThan(highest);
        expect(node.stats().isConnected).toBe(true);
      }
    } finally {
      await node.close();
      await server.close();
    }
  });
});
