import type { ConfigProblem } from './check-config.ts';
import { type Config, ConfigError, misspelledVariables, readConfig } from './config.ts';
import { wrongPresets } from './delivery/url.ts';
import { ADMIN, START } from './runtime/packed.ts';
import { plainLines } from './runtime/printable.ts';

const USAGE = `${START} [<option>]

  --check-config         checks the settings and ends
  --check-config=deep    also tries what they name: folder, database, bucket, ffmpeg and port
  --help                 shows this and ends

The settings are environment variables: docs/configuration.md lists them all. \`${ADMIN} --help\` shows what else
an operator can do.
`;

/** Reads the configuration or ends the process with one line for each wrong variable. */
function configure(): Config {
  try {
    const config = readConfig();
    const wrong = wrongPresets(config.limits);
    if (wrong.length > 0) throw new ConfigError(wrong);
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const line of error.lines) process.stderr.write(`${line}\n`);
    process.exit(1);
  }
}

/** Prints errors of the settings and, if `isDeep`, of everything that they name. */
async function check(config: Config, isDeep: boolean): Promise<void> {
  for (const line of misspelledVariables()) process.stderr.write(`${line}\n`);
  const problems = isDeep ? await tryDeep(config) : [];
  for (const { what, isGood, text } of problems) {
    (isGood ? process.stdout : process.stderr).write(`${what}: ${text}\n`);
  }
  if (problems.every(({ isGood }) => isGood)) process.stdout.write('The configuration is valid.\n');
  else process.exitCode = 1;
}

async function tryDeep(config: Config): Promise<ConfigProblem[]> {
  const { tryConfig } = await import('./check-config.ts');
  return tryConfig(config);
}

/**
 * Loads the service only when it starts: help and checks do not need it, and loading takes most of the time of a start.
 */
async function serve(config: Config): Promise<void> {
  const { start } = await import('./serve.ts');
  await start(config);
}

async function run(args: readonly string[]): Promise<void> {
  const [option, ...more] = args;
  if (args.includes('--help') || args.includes('-h')) process.stdout.write(USAGE);
  else if (option === undefined) await serve(configure());
  else if (more.length === 0 && option === '--check-config') await check(configure(), false);
  else if (more.length === 0 && option === '--check-config=deep') await check(configure(), true);
  else throw new Error(`Expected no option or one of the following, received ${args.join(' ')}.\n\n${USAGE}`);
}

run(process.argv.slice(2)).catch((error) => {
  process.stderr.write(
    `Darkroom cannot start: ${plainLines(error instanceof Error ? error.message : String(error))}\n`,
  );
  process.exit(1);
});
