/**
 * Creates the files of the corpus, their references and its index: `node test/corpus/make.ts [part of a name]`. Needs
 * the programs of make/witness.ts, in the versions of Debian 12.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { difference } from './compare.ts';
import type { CorpusFile } from './index.ts';
import type { Recipe } from './make/recipe.ts';
import { RECIPES, SHARED_REFERENCES } from './make/recipes.ts';
import { testify } from './make/witness.ts';
import { referenceOf } from './references.ts';
import type { Pixels } from './resample.ts';

const FOLDER = new URL('./', import.meta.url);
const INDEX = new URL('index.json', FOLDER);
/** Maximum difference between the second decoder and the formula. */
const WITNESS_LIMIT = 1;

await main(process.argv[2] ?? '');

async function main(part: string): Promise<void> {
  await mkdir(new URL('files/', FOLDER), { recursive: true });
  await mkdir(new URL('references/', FOLDER), { recursive: true });
  for (const [name, show] of Object.entries(SHARED_REFERENCES)) if (name.includes(part)) await keep(name, await show());
  const known: CorpusFile[] = JSON.parse(await readFile(INDEX, 'utf8').catch(() => '[]'));
  const index: CorpusFile[] = [];
  for (const recipe of RECIPES) {
    const before = known.find(({ file }) => file === recipe.file);
    if (before && !recipe.file.includes(part)) index.push(before);
    else index.push(await make(recipe));
  }
  await writeFile(INDEX, `[\n${index.map((entry) => `  ${JSON.stringify(entry)}`).join(',\n')}\n]\n`);
}

async function make(recipe: Recipe): Promise<CorpusFile> {
  const { file, kind, what, witness, toneMapped, refused } = recipe;
  const bytes = await recipe.make();
  await writeFile(new URL(`files/${file}`, FOLDER), bytes);
  const seen = await testify(recipe, bytes);
  const reference = recipe.reference === 'witness' && seen ? await keep(`${file}.png`, seen) : recipe.reference;
  const entry = {
    file,
    kind,
    what,
    reference,
    decoder: witness,
    ...(toneMapped && { toneMapped }),
    ...(refused && { refused }),
  };
  if (!seen || recipe.reference === 'witness') return report(entry, bytes, '');
  const wanted = await referenceOf(reference);
  if (seen.width !== wanted.width || seen.height !== wanted.height)
    throw new Error(`${file}: ${witness} gives ${seen.width}x${seen.height}`);
  const { mean, largest, alpha } = difference(seen, wanted);
  const agrees = mean <= WITNESS_LIMIT && alpha <= 1;
  if (!agrees) process.exitCode = 1;
  return report(
    entry,
    bytes,
    `${agrees ? '' : 'DISAGREES '}${witness} mean ${mean.toFixed(2)}, largest ${largest.toFixed(1)}, alpha ${alpha.toFixed(2)}`,
  );
}

function report(entry: CorpusFile, { length }: Buffer, text: string): CorpusFile {
  process.stdout.write(`${entry.file}, ${length} bytes: ${text}\n`);
  return entry;
}

/** @returns the name of the reference */
async function keep(name: string, { width, height, data }: Pixels): Promise<string> {
  const isOpaque = data.every((value, index) => index % 4 !== 3 || value === 255);
  const picture = sharp(data, { raw: { width, height, channels: 4 } });
  await (isOpaque ? picture.removeAlpha() : picture)
    .png({ compressionLevel: 9 })
    .toFile(new URL(`references/${name}`, FOLDER).pathname);
  return name;
}
