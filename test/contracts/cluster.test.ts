import { createLocalCluster } from '../../src/cluster/local.ts';
import { clusterContract } from './cluster.ts';

clusterContract('one machine', async () => {
  const node = createLocalCluster();
  return { nodes: [node], close: () => node.close() };
});
