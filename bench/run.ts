/**
 * Runs benchmarks and stores their reports: `npm run bench [-- <name> ...] [-- --quick]`. Without a name it runs all of
 * them. `versions` needs another checkout (`--against=FOLDER`) and is left out without one; `dashboard` compares with it
 * if there is one.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Benchmark } from './tools/benchmark.ts';
import { describeHost, describeMoment } from './tools/host.ts';
import { resultsPage } from './tools/results-page.ts';

const COMPARING = 'versions';
/** Shown first, in this order. Others follow by name. */
const FIRST = ['cached', 'cold', 'stampede', 'memory'];
const HERE = new URL('./', import.meta.url);
const RESULTS = new URL('results/', HERE);

// Unknown options throw: a typing error must not start all benchmarks, which take an hour.
const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, against: { type: 'string' } },
});
const { quick, against } = values;
const known = await knownNames();
const all = known.filter((name) => name !== COMPARING || against !== undefined);
for (const name of named.length > 0 ? named : all) await runOne(name);
if (!quick) await writeResults();
// A benchmark that starts a service in this process may keep it alive.
process.exit();

async function runOne(name: string): Promise<void> {
  const benchmark = await load(name);
  const moment = describeMoment();
  process.stderr.write(`${name} ...\n`);
  const body = await benchmark.run({ quick, against });
  const section = `## ${name}\n\n\`npm run bench ${name}\`, ${moment}\n\n${body.trim()}\n`;
  process.stdout.write(`${section}\n`);
  if (quick) return;
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL(`${name}.md`, RESULTS), section);
}

async function load(name: string): Promise<Benchmark> {
  if (!known.includes(name)) throw new Error(`Expected one of ${known.join(', ')}, received "${name}".`);
  const exported: Record<string, unknown> = await import(new URL(`${name}.ts`, HERE).href);
  const benchmark = Object.values(exported).find(isBenchmark);
  if (!benchmark) throw new Error(`bench/${name}.ts exports no benchmark.`);
  return benchmark;
}

function isBenchmark(value: unknown): value is Benchmark {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}

/** Names of the benchmarks: every file of this folder but this one. */
async function knownNames(): Promise<string[]> {
  const files = await readdir(HERE);
  const names = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return names.filter((name) => name !== 'run').toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

/** Writes `RESULTS.md` from the stored reports. */
async function writeResults(): Promise<void> {
  const reports = new Map<string, string>();
  for (const file of (await readdir(RESULTS)).toSorted()) {
    reports.set(file.slice(0, -'.md'.length), await readFile(new URL(file, RESULTS), 'utf8'));
  }
  const benchmarks = await Promise.all(known.map(load));
  await writeFile(new URL('RESULTS.md', HERE), resultsPage(describeHost(), benchmarks, reports));
}
