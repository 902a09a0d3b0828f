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
        'Nodes of one installation on one machine: PostgreSQL and the Ceph RADOS Gateway beside them, all of which share its cores. Alone',
        'is one service on a bucket with SQLite. Ratios round by round, with their range.',
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
