/**
 * Runs benchmarks and keeps their reports: `npm run bench [-- <name> ...] [-- --quick]`. Without a name, all but `quality`,
 * which takes long, needs a package of its own and reports in docs/encoders.md, `faces`, which needs pictures and reports in
 * docs/face-detection.md, and `versions`, which needs another version.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Benchmark } from './tools/benchmark.ts';
import { describeMachine, describeMoment } from './tools/machine.ts';

/** It compares two versions, and has to be told the other one. */
const COMPARING = 'versions';
/** Programs of their own with arguments of their own. */
const SCRIPTS = ['quality', 'faces'];
/** What a reader looks for first; others follow by name. */
const FIRST = ['cached', 'cold', 'stampede', 'memory'];
const HERE = new URL('./', import.meta.url);
const RESULTS = new URL('results/', HERE);

const args = process.argv.slice(2);
if (SCRIPTS.includes(args[0] ?? '')) {
  const script = fileURLToPath(new URL(`${args[0]}.ts`, HERE));
  process.exit(spawnSync(process.execPath, [script, ...args.slice(1)], { stdio: 'inherit' }).status ?? 1);
}
const quick = args.includes('--quick');
const against = args.find((arg) => arg.startsWith('--against='))?.slice('--against='.length);
const names = args.filter((arg) => !arg.startsWith('--'));
const all = (await knownNames()).filter((name) => name !== COMPARING || against !== undefined);
for (const name of names.length > 0 ? names : all) await runOne(name);
if (!quick) await assemble();
// A service that was started in this process may keep it alive.
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
  const known = await knownNames();
  if (!known.includes(name))
    throw new Error(`Expected one of ${[...known, ...SCRIPTS].join(', ')}, received "${name}".`);
  const exported: Record<string, unknown> = await import(new URL(`${name}.ts`, HERE).href);
  const benchmark = [exported, ...Object.values(exported)].find(isBenchmark);
  if (!benchmark) throw new Error(`bench/${name}.ts exports no benchmark.`);
  return benchmark;
}

function isBenchmark(value: unknown): value is Benchmark {
  return typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function';
}

/** Every file of this folder is a benchmark, but for this one. */
async function knownNames(): Promise<string[]> {
  const files = await readdir(HERE);
  const names = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
  return inOrder(names.filter((name) => name !== 'run' && !SCRIPTS.includes(name)));
}

/** bench/RESULTS.md from the sections that there are, each with the time it was measured at. */
async function assemble(): Promise<void> {
  const files = (await readdir(RESULTS)).filter((file) => file.endsWith('.md'));
  const sections = inOrder(files.map((file) => file.slice(0, -'.md'.length))).map((name) =>
    readFile(new URL(`${name}.md`, RESULTS), 'utf8'),
  );
  const head =
    '# Benchmarks\n\nWritten by `npm run bench` (all) or `npm run bench <name>` (one section). Ratios travel, absolute figures do not.\n';
  await writeFile(
    new URL('RESULTS.md', HERE),
    [head, `${describeMachine()}\n`, ...(await Promise.all(sections))].join('\n'),
  );
}

function inOrder(names: readonly string[]): string[] {
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return names.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}
