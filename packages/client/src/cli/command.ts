import type { ParseArgsConfig } from 'node:util';

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** One word behind `darkroom`, with all that is known of it. */
export interface Command {
  /** What `--help` prints. */
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** @returns whether all was done; @throws UsageError, Failure */
  run(positionals: readonly string[], values: Values, env: NodeJS.ProcessEnv): Promise<boolean>;
}

/** The command is not understood; the message says what was expected. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command cannot go on; the message says why. */
export class Failure extends Error {
  override name = 'Failure';
}

/** The options of all commands that ask the service. */
export const SERVICE_OPTIONS = { url: { type: 'string' } } as const;

export const SERVICE_HELP = '  --url <url>    where the service is, in the place of DARKROOM_URL';

/** Where the service is, without a slash at its end; undefined where nothing says it. @throws UsageError */
export function baseOf(values: Values, env: NodeJS.ProcessEnv): string | undefined {
  const given = text(values.url) ?? env.DARKROOM_URL;
  if (given === undefined || given === '') return undefined;
  if (!/^https?:\/\/[^@]+$/.test(given) || !URL.canParse(given)) {
    throw new UsageError(
      'Expected a URL such as https://media.example.com in DARKROOM_URL or --url, without a password.',
    );
  }
  return given.replace(/\/+$/, '');
}

/** The value of an option that takes one. */
export function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
