/**
 * Runs the long fuzz tests against the real service: `npm run fuzz [images|urls|api|spaces|stranger|cluster|catalog|kills]
 * [count] [seed] [checkout]`; without a name, all of them. A checkout is the folder of another version, whose service
 * is tested instead. `--storage=disk|bucket` and `--database=sqlite|postgres` select the storage of the files and of
 * the catalog; by default, each combination runs that the test supports.
 */
import { readdir } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type PlaceChoice, placeChoice } from './chosen-places.ts';

export interface FuzzOrder {
  /** Number of hostile inputs. */
  count: number;
  /** The same seed gives the same inputs. */
  seed: number;
  /** The folder of another version, whose service is tested. Only `stranger` supports it. */
  target?: string | undefined;
  /** The storage of the files and the database. Only tests of the catalog support it. */
  places?: PlaceChoice;
}

/** The export `fuzz` of each module of this folder. */
export type Fuzz = (order: FuzzOrder) => Promise<FuzzReport>;

interface FuzzModule {
  fuzz: Fuzz;
  /** Unit and default of the count. */
  unit?: string;
  defaultCount?: number;
}

export interface FuzzReport {
  /** Inputs and results, for humans. */
  lines: string[];
  /** One line for each incorrect response, with the input that reproduces it. Empty on success. */
  problems: string[];
  /** Peak memory of the service, and of any of its workers. */
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

/** Lists the modules here, except this one, tests and parts of others. */
async function fuzzNames(): Promise<string[]> {
  const files = await readdir(new URL('./', import.meta.url));
  return files.filter((file) => /^[a-z]+\.ts$/.test(file) && file !== 'run.ts').map((file) => file.slice(0, -3));
}
