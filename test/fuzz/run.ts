/**
 * Runs the long fuzz tests against the real service: `npm run fuzz [images|urls|api|stranger|cluster|catalog|kills] [count] [seed] [checkout]`; without
 * a name, all of them. A checkout is the folder of another version, whose service is tried instead. `--storage=disk|bucket` and
 * `--database=sqlite|postgres` say where the files and the catalog are to be; without them, in each of the places.
 */
import { readdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type PlaceChoice, placeChoice } from './chosen-places.ts';

export interface FuzzOrder {
  /** How many hostile inputs are tried. */
  count: number;
  /** The same seed gives the same inputs. */
  seed: number;
  /** The folder of another version, whose service is to be tried. Only the stranger knows it. */
  target?: string | undefined;
  /** Where the files and the database are to be. Only those that are about the catalog know it. */
  places?: PlaceChoice;
}

/** What a module of this folder exports as `fuzz`. */
export type Fuzz = (order: FuzzOrder) => Promise<FuzzReport>;

interface FuzzModule {
  fuzz: Fuzz;
  /** What is counted, and how many there are without an order. */
  unit?: string;
  defaultCount?: number;
}

export interface FuzzReport {
  /** What was tried and what came of it, for people. */
  lines: string[];
  /** One line for each input that was answered wrongly, with what reproduces it. Empty is what is hoped for. */
  problems: string[];
  /** The most memory that the service held, and that any of its workers held. */
  peakBytes?: { service: number; worker: number };
}

const COUNT = 2000;
const SEED = 20_261;

if (import.meta.main) await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  const options = { storage: { type: 'string' }, database: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [first = '', ...rest] = positionals;
  const places = placeChoice(values);
  const names = await fuzzNames();
  const isNamed = names.includes(first);
  if (first && !isNamed && !/^\d+$/.test(first)) {
    throw new Error(`Expected one of ${names.join(', ')}, received "${first}".`);
  }
  const [wanted, seed = SEED, target] = (isNamed ? rest : [first, ...rest]).filter(Boolean);
  for (const name of isNamed ? [first] : names) {
    const module: FuzzModule = await import(new URL(`./${name}.ts`, import.meta.url).href);
    const { fuzz, unit = 'inputs', defaultCount = COUNT } = module;
    const count = Number(wanted ?? defaultCount);
    process.stdout.write(`${name}: ${count} ${unit}, seed ${seed}, ${cpus().length} CPUs\n`);
    const { lines, problems } = await fuzz({ count, seed: Number(seed), target, places });
    process.stdout.write([...lines, `${problems.length} problems`, ...problems, ''].join('\n'));
    if (problems.length > 0) process.exitCode = 1;
  }
}

/** Every module here that is neither this one, nor a test, nor a part of another. */
async function fuzzNames(): Promise<string[]> {
  const files = await readdir(new URL('./', import.meta.url));
  return files.filter((file) => /^[a-z]+\.ts$/.test(file) && file !== 'run.ts').map((file) => file.slice(0, -3));
}
