import { measureReads } from './catalog/reads.ts';
import { measureSync } from './catalog/sync.ts';
import { measureUploads } from './catalog/upload.ts';
import type { Benchmark } from './tools/benchmark.ts';

export const catalog: Benchmark = {
  name: 'catalog',
  async run({ quick }) {
    const parts = [await measureReads(quick), await measureSync(quick), await measureUploads(quick)];
    return parts.map((lines) => lines.join('\n')).join('\n\n');
  },
};
