import { measureReads } from './catalog/reads.ts';
import { measureSync } from './catalog/sync.ts';
import type { Benchmark } from './tools/benchmark.ts';

export const catalog: Benchmark = {
  name: 'catalog',
  async run({ quick }) {
    return [...(await measureReads(quick)), '', ...(await measureSync(quick))].join('\n');
  },
};
