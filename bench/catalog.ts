import { measureReads } from './catalog/reads.ts';
import { measureSync } from './catalog/sync.ts';
import type { Benchmark } from './tools/benchmark.ts';

export const catalog: Benchmark = {
  name: 'catalog',
  about: 'pages, search and reconciliation with a million files',
  async run({ quick }) {
    const parts = [await measureReads(quick), await measureSync(quick)];
    return parts.map((lines) => lines.join('\n')).join('\n\n');
  },
};
