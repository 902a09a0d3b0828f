import type { ParseArgsConfig } from 'node:util';

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** A subcommand of `darkroom`. */
export interface Command {
  /** Output of `--help`. */
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** @returns true if everything succeeded; @throws UsageError, Failure */
  run(positionals: readonly string[], values: Values, env: NodeJS.ProcessEnv): Promise<boolean>;
}

/** The arguments are invalid; the message says what was expected. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command cannot continue; the message says why. */
export class Failure extends Error {
  override name = 'Failure';
}

/** Options of all commands that send requests. */
export const SERVICE_OPTIONS = { url: { type: 'string' } } as const;

export const SERVICE_HELP = '  --url <url>    address of the service, overrides DARKROOM_URL';

/** Returns the URL of the service without a trailing slash; undefined if it is not configured. @throws UsageError */
export function baseOf(values: Values, env: NodeJS.ProcessEnv): string | undefined {
  const serviceUrl = text(values.url) ?? env.DARKROOM_URL;
  if (serviceUrl === undefined || serviceUrl === '') return undefined;
  if (!/^https?:\/\/[^@]+$/.test(serviceUrl) || !URL.canParse(serviceUrl)) {
    throw new UsageError(
      'Expected a URL such as https://media.example.com in DARKROOM_URL or --url, without a password.',
    );
  }
  return serviceUrl.replace(/\/+$/, '');
}

/** Returns the value of an option. */
export function text(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
