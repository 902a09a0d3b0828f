import { clusterContract } from '../../contracts/cluster.ts';
import { describeOnPostgres, newDatabase } from '../database.ts';
import { join } from './nodes.ts';

describeOnPostgres('several machines', () => {
  clusterContract('nodes that share a PostgreSQL', async () => {
    const nodes = await join(await newDatabase(), 4);
    return {
      nodes,
      async close() {
        for (const node of nodes) await node.close();
      },
    };
  });
});
