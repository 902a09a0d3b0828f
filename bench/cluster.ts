import { readFile } from 'node:fs/promises';
import { PHOTO } from './cached.ts';
import { measureChanges } from './cluster/changes.ts';
import { measureCold } from './cluster/cold.ts';
import { measureHits } from './cluster/hits.ts';
import { measureJobs } from './cluster/jobs.ts';
import { openSite } from './cluster/nodes.ts';
import { measureRestart } from './cluster/restart.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { requirePrograms } from './tools/programs.ts';

export const cluster: Benchmark = {
  name: 'cluster',
  about: 'several nodes next to one',
  async run({ quick }) {
    requirePrograms('wrk', 'taskset', 'haproxy');
    const photo = await readFile(PHOTO);
    const site = await openSite();
    try {
      return [
        'Nodes of one installation on one host, which they share with PostgreSQL and the Ceph RADOS Gateway. "Alone" is one service on a',
        'bucket with SQLite. Ratios round by round, with range.',
        '',
        ...(await measureHits(site, photo, quick)),
        '',
        ...(await measureCold(site, photo, quick)),
        '',
        ...(await measureChanges(site, photo, quick)),
        '',
        ...(await measureJobs(site, quick)),
        '',
        ...(await measureRestart(site, photo, quick)),
      ].join('\n');
    } finally {
      await site.close();
    }
  },
};
