import { randomBytes } from 'node:crypto';
import { access } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { importOpeninary } from './admin/import-openinary.ts';
import { createKey, DAYS, listKeys, revokeKey } from './admin/keys.ts';
import { Refusal } from './admin/refusal.ts';
import { PASSWORD_LENGTH, resetPassword } from './auth/accounts.ts';
import { PERMISSIONS } from './auth/api-key.ts';
import { createKeyring, type Keyring } from './auth/keyring.ts';
import { databaseUrl } from './config/formats.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { forgetAgreement } from './db/common-settings.ts';
import { copyDatabase } from './db/copy.ts';
import { openDatabase } from './db/open.ts';
import type { OpenDatabase } from './db/schema.ts';
import { quote } from './path.ts';
import { ADMIN } from './runtime/packed.ts';
import { plainLines } from './runtime/printable.ts';
import { tellNodes } from './services/cluster.ts';
import { type Report, reindex, verify } from './services/maintenance.ts';
import { signUrl } from './services/sign-url.ts';

const USAGE = `${ADMIN} <command>

  keys list                what keys there are, without the keys themselves
  keys create [--name <name>] [--permissions ${PERMISSIONS.join(',')}] [--days <${DAYS.min} to ${DAYS.max}>]
                           makes an API key and prints it, once; all permissions and ${DAYS.standard} days by default
  keys revoke <id>         ends a key for good
  import-openinary <auth.db>
                           takes over the API keys of Openinary's database, which it only reads
  reset-password [--email <address>]
                           the new password comes from standard input, or is made up
  migrate                  brings the tables of the database up to date, for DATABASE_MIGRATE=off
  migrate-database <url>   copies accounts, sessions, keys, jobs, settings, counters and the catalog from the file in DATA_DIR
                           into an empty PostgreSQL database; stop the service first
  change-settings          lets the next node that starts bring other settings than those that run, which refuse to run beside others
                           otherwise (API_SECRET, STORAGE_BUCKET_NAME, PRESETS, limits); restart the others after it
  reindex                  compares everything that is stored with the catalog, and has it described again; words stay
  verify [--repair]        names the differences between the storage, the catalog and the cache, and files whose names cannot be served,
                           and ends with 1 if there are any; with --repair the catalog is made equal to the storage first, and what
                           is kept without a row comes into the trash as recovered/<id>
  sign <url path> [--expires <seconds>]
                           prints a signed delivery URL

The settings are those of the service, from the same environment: DATA_DIR or DATABASE_URL above all. It may be running meanwhile.`;

type Given = Readonly<Record<string, string | undefined>>;
interface Command {
  /** The operand that the command needs, if any. */
  operand?: string;
  options?: readonly string[];
  /** Options without a value. */
  flags?: readonly string[];
  act(config: Config, given: Given): Promise<string>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  'keys list': { act: (config) => withKeyring(config, listKeys) },
  'keys create': {
    options: ['name', 'permissions', 'days'],
    act: (config, given) => withKeyring(config, (keyring) => createKey(keyring, given)),
  },
  'keys revoke': {
    operand: 'the id of a key',
    act: (config, { operand = '' }) => withKeyring(config, (keyring) => revokeKey(keyring, operand)),
  },
  'import-openinary': {
    operand: "the path of Openinary's auth.db",
    act: (config, { operand = '' }) =>
      withKeyring(config, (keyring) => importOpeninary(keyring, operand, config.data.temp)),
  },
  'reset-password': {
    options: ['email'],
    act: (config, { email }) => withDatabase(config, (database) => changePassword(database, email)),
  },
  migrate: { act: migrate },
  'migrate-database': {
    operand: 'the URL of a PostgreSQL database',
    act: (config, { operand = '' }) => moveDatabase(config, operand),
  },
  'change-settings': { act: (config) => withDatabase(config, changeSettings) },
  reindex: { act: (config) => withDatabase(config, (database) => reported(reindex(config, database))) },
  verify: {
    flags: ['repair'],
    act: (config, { repair }) =>
      withDatabase(config, (database) => reported(verify(config, database, repair !== undefined))),
  },
  sign: { operand: 'a URL path', options: ['expires'], act: async (config, given) => signUrl(config, given) },
};

/** Works on the database of the service. A missing one is not created: DATA_DIR is wrong then. */
async function withDatabase(
  { data, database: settings }: Config,
  work: (database: OpenDatabase) => Promise<string>,
): Promise<string> {
  if (settings.url === undefined) await assertThere(data);
  const database = await openDatabase({ file: data.database, ...settings });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function assertThere({ database, directory }: Config['data']): Promise<void> {
  await access(database).catch(() => {
    throw new Refusal(`There is no database in ${directory}: is DATA_DIR that of the service?`);
  });
}

/** Opening a database brings it up to date. */
function migrate(config: Config): Promise<string> {
  const settings = { ...config, database: { ...config.database, migrate: 'auto' as const } };
  return withDatabase(settings, async ({ location }) => `The tables of ${location} are up to date.`);
}

async function changeSettings({ db }: OpenDatabase): Promise<string> {
  await forgetAgreement(db);
  return 'The next node that starts decides about the settings of all. Restart the others after it.';
}

async function moveDatabase({ data }: Config, url: string): Promise<string> {
  const format = databaseUrl();
  if (!format.safeParse(url).success) throw new Refusal(`Expected ${format.description}.`);
  await assertThere(data);
  const from = await openDatabase({ file: data.database });
  try {
    const to = await openDatabase({ file: data.database, url });
    try {
      const copied = Object.entries(await copyDatabase(from, to)).map(([table, count]) => `${table}: ${count}`);
      return [`Copied from ${from.location} to ${to.location}, rows of each table:`, ...copied].join('\n');
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

function withKeyring(config: Config, work: (keyring: Keyring) => Promise<string>): Promise<string> {
  return withDatabase(config, (database) =>
    work(createKeyring({ database, onChange: () => tellNodes(config, { kind: 'key' }) })),
  );
}

/** Sets another password for the account and ends its sessions. */
async function changePassword({ db }: OpenDatabase, email: string | undefined): Promise<string> {
  const given = process.stdin.isTTY ? '' : (await text(process.stdin)).replace(/\r?\n$/, '');
  const password = given === '' ? randomBytes(15).toString('base64url') : given;
  if (password.length < PASSWORD_LENGTH.min || password.length > PASSWORD_LENGTH.max) {
    const { min, max } = PASSWORD_LENGTH;
    throw new Refusal(`Expected a password of ${min} to ${max} characters, received ${password.length}.`);
  }
  const changed = await resetPassword({ db, email, password });
  if (changed === undefined) {
    throw new Refusal(email ? `There is no account with the address ${email}.` : 'There is no account yet.');
  }
  const shown = given === '' ? `\nPassword: ${password}` : '';
  return `The password of ${changed} was changed and all sessions were ended.${shown}`;
}

/** @throws Refusal when something is left to be done */
async function reported(work: Promise<Report>): Promise<string> {
  const { text: found, isGood } = await work;
  if (!isGood) throw new Refusal(found);
  return found;
}

async function run(args: readonly string[]): Promise<string> {
  if (args.includes('--help') || args.includes('-h')) return USAGE;
  const name = Object.keys(COMMANDS).find((command) => `${args.join(' ')} `.startsWith(`${command} `));
  const command = name === undefined ? undefined : COMMANDS[name];
  if (name === undefined || command === undefined) throw new Refusal(`Expected a command.\n\n${USAGE}`);
  const { options = [], flags = [] } = command;
  const known = { ...typed(options, 'string'), ...typed(flags, 'boolean') };
  const rest = args.slice(name.split(' ').length);
  const { values, positionals } = parseArgs({ args: rest, options: known, allowPositionals: true });
  const [operand, ...more] = positionals;
  if (more.length > 0 || (operand === undefined) !== (command.operand === undefined)) {
    const received = positionals.map(quote).join(' ') || 'nothing';
    throw new Refusal(`Expected ${command.operand ?? 'nothing'} after "${name}", received ${received}.`);
  }
  const given = Object.entries(values).map(([option, value]) => [option, String(value)]);
  return command.act(readConfig(), { ...Object.fromEntries(given), operand });
}

const typed = (names: readonly string[], type: 'string' | 'boolean') =>
  Object.fromEntries(names.map((name) => [name, { type }]));

try {
  process.stdout.write(`${plainLines(await run(process.argv.slice(2)))}\n`);
} catch (error) {
  const reason = error instanceof ConfigError ? error.lines.join('\n') : error instanceof Error ? error.message : error;
  process.stderr.write(`${plainLines(String(reason))}\n`);
  process.exit(1);
}
