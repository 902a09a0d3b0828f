// `npm run image`: builds the container image and tests it. Uses Docker if present, otherwise buildah and podman.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DOCKER } from './docker.ts';
import type { Engine } from './engine.ts';
import { withPodman } from './podman.ts';
import { output, run, works } from './programs.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const TAG = 'darkroom:tried';
const MAX_MEGABYTES = 600;

const USAGE = `npm run image [-- <option>]

  --keep    keeps what was built, and says where
  --help    shows this and ends

Builds the image of the Dockerfile, says how large it is, and runs the tests of test/image in it. With Docker where it runs;
otherwise root needs buildah and podman. Where the base image cannot be fetched, one is made of Debian's packages.
`;

async function buildAndTry(engine: Engine): Promise<void> {
  const base = await engine.base(await namedBase());
  await run([...engine.build, '--build-arg', `BASE=${base}`, '--tag', TAG, ROOT], engine.environment);
  const size = await output([...engine.command, 'image', 'inspect', '--format', '{{.Size}}', TAG], engine.environment);
  const megabytes = Number(size) / 1e6;
  process.stdout.write(`The image has ${megabytes.toFixed(0)} MB.\n`);
  if (megabytes > MAX_MEGABYTES) throw new Error(`It should have ${MAX_MEGABYTES} MB at most.`);
  await run(['vitest', 'run', '--config', join(ROOT, 'test/image/vitest.config.ts')], {
    ...engine.environment,
    TRIED_IMAGE: TAG,
    TRIED_WITH: JSON.stringify([...engine.command, ...engine.run]),
  });
}

/** Returns the base image of the Dockerfile. */
async function namedBase(): Promise<string> {
  const [, base] = /^ARG BASE=(\S+)$/m.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
  if (base === undefined) throw new Error('The Dockerfile does not say with which image it begins.');
  return base;
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { keep: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) process.stdout.write(USAGE);
  else if (await works(['docker', 'info'])) await buildAndTry(DOCKER);
  else await withPodman(buildAndTry, values.keep === true);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
