#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type Command, UsageError } from './command.ts';
import { importOriginals } from './import.ts';
import { keys } from './keys.ts';
import { mcp } from './mcp.ts';
import { plain, plainLines, quote } from './printable.ts';
import { sign } from './sign.ts';
import { sync } from './sync.ts';
import { translate } from './translate.ts';
import { upload } from './upload.ts';
import { version } from './version.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  upload,
  sync,
  sign,
  keys,
  translate,
  mcp,
  import: importOriginals,
};

/** Commands of the service's package, which has all of these as well. */
const OF_SERVICE = ['start', 'admin'];

const HELP = `darkroom <command>

  upload <files or folders...>      sends files into the library
  sync <folder> [remote folder]     sends missing files
  sign <path> [transformation]      prints a signed URL
  keys list|create|revoke           API keys
  translate <files or folders...>   URLs of Cloudinary in texts, and what they become
  import <files or lists...>        has the service fetch what such URLs show
  mcp                               tools for assistants, by the Model Context Protocol
  --version                         which release this is

"darkroom <command> --help" says more. Settings are read from the environment:

  DARKROOM_URL      address of the service, such as https://media.example.com; --url overrides it
  DARKROOM_KEY      an API key
  DARKROOM_SECRET   the API_SECRET of the service, for "sign" alone

Ends with 0 when all was done, with 1 when something failed, and with 2 when the command was not understood.`;

const GENERAL = { help: { type: 'boolean', short: 'h' } } as const;

/** @returns the exit code */
async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--help' || name === '-h') return say(HELP);
  if (name === '--version') return say(version());
  const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const received = name === undefined ? 'nothing' : quote(name);
    if (OF_SERVICE.includes(name ?? '')) {
      throw new UsageError(
        `Expected a command of the client, received ${received}, which the package of the service has.`,
      );
    }
    throw new UsageError(`Expected a command, received ${received}.\n\n${HELP}`);
  }
  try {
    const { values, positionals } = parse(args, command);
    if (values.help === true) return say(command.help);
    return (await command.run(positionals, values, process.env)) ? 0 : 1;
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${error.message}\nSee "darkroom ${name} --help".`) : error;
  }
}

/** @throws UsageError for options that the command does not have */
function parse(args: string[], { options }: Command) {
  try {
    return parseArgs({ args, options: { ...options, ...GENERAL }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(plain(error instanceof Error ? error.message : String(error)));
  }
}

function say(words: string): number {
  process.stdout.write(`${words}\n`);
  return 0;
}

/** Messages of `UsageError` are our own; any other may contain external text. */
function messageOf(error: unknown): string {
  if (error instanceof UsageError) return plainLines(error.message);
  return plain(error instanceof Error ? error.message : String(error));
}

// A reader such as `head` may close the pipe early.
process.stdout.on('error', () => process.exit(1));
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
