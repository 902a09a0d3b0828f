/**
 * Renders the whole corpus in the service's workers, with their limits, and compares: `npm run corpus [part of a
 * name]`. Prints one line for each file: the worst of its renditions. Exits with 1 if a file does not match its
 * reference.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RenderPool } from '../../src/render/pool.ts';
import { childrenOf, memoryOf } from '../processes.ts';
import { checkFile, type Darkroom, type Finding } from './check.ts';
import { corpus } from './index.ts';

const MEGABYTE = 1024 * 1024;
/** The defaults of docs/configuration.md. */
const WORKER = { timeoutMs: 60_000, memoryBytes: 2048 * MEGABYTE, totalMemoryBytes: 512 * MEGABYTE };

await main(process.argv[2] ?? '');

async function main(part: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-corpus-'));
  const queue = { maxQueued: 100, maxQueuedPerClient: 100, maxWaitMs: 600_000 };
  const pool = new RenderPool({ workers: 1, ...queue, ...WORKER });
  const darkroom: Darkroom = {
    render: (request) => pool.runUncharged('render', request),
    convertHeic: (request) => pool.runUncharged('convertHeic', request),
  };
  try {
    const problems: Finding[] = [];
    for (const entry of corpus.filter(({ file }) => file.includes(part))) {
      const start = performance.now();
      const analysis = await checkFile(entry, darkroom, folder).catch((error: Error): Finding[] => [
        { file: entry.file, rendition: 'all', problem: error.message },
      ]);
      process.stdout.write(`${summary(analysis, performance.now() - start)}\n`);
      problems.push(...analysis.filter(({ problem }) => problem));
    }
    const [worker = 0] = await childrenOf(process.pid);
    const { highest } = await memoryOf(worker).catch(() => ({ highest: 0 }));
    process.stdout.write(
      `The worker held at most ${Math.round(highest / MEGABYTE)} MB.\n${problems.length} problems\n`,
    );
    if (problems.length > 0) process.exitCode = 1;
  } finally {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function summary(analysis: readonly Finding[], milliseconds: number): string {
  const differences = analysis.flatMap(({ difference }) => (difference ? [difference] : []));
  const worst = (name: 'mean' | 'largest' | 'alpha') => Math.max(0, ...differences.map((found) => found[name]));
  const figures = `mean ${worst('mean').toFixed(2)}, largest ${worst('largest').toFixed(1)}, alpha ${worst('alpha').toFixed(2)}`;
  const [first] = analysis;
  const wrong = analysis.filter(({ problem }) => problem);
  const verdict = wrong.length === 0 ? 'true ' : 'FALSE';
  const line = `${verdict} ${first?.file.padEnd(32)} ${first?.size ?? 'refused'}, ${figures}, ${Math.round(milliseconds)} ms`;
  const problems = wrong.map(({ rendition, problem }) => `\n      ${rendition}: ${problem}`);
  return [line, ...problems].join('');
}
